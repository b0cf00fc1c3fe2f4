"""The frame of a page. Everything is inside, and its policy forbids to fetch anything."""

from string import Template

STYLE = """\
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.2rem; max-width: 1280px; background: #f6f7f8; color: #222;
       font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 1.45rem; margin: 0.2rem 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 0 0 0.5rem; }
section { background: #fff; border: 1px solid #e2e4e7; border-radius: 8px; padding: 0.9rem 1rem;
          min-width: 0; }
.tables, .figures { display: grid; gap: 1rem; grid-template-columns: 1fr; margin-bottom: 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.88rem; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.9rem 0.25rem 0; }
tr + tr > * { border-top: 1px solid #eef0f2; }
tbody th { font-weight: 400; color: #5b6168; }
td { overflow-wrap: anywhere; min-width: 5.5rem; }
.numbers td { font-variant-numeric: tabular-nums; white-space: nowrap; }
.chip { display: inline-block; width: 0.7em; height: 0.7em; border-radius: 2px;
        margin-right: 0.4em; }
.figure { height: 380px; display: flex; flex-direction: column; }
.figure > div { flex: 1; min-height: 0; }
.plan { height: 95vw; max-height: 640px; }
@media (min-width: 900px) {
  .tables, .figures { grid-template-columns: 1fr 1fr; }
  .plan { grid-column: 1 / -1; }
}
"""
"""How every page looks."""
PAGE = Template("""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="$policy">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
$common$style</style>
<script>$plotly</script>
</head>
<body>
<h1>$title</h1>
$stage$tables<div class="figures">
$figures
</div>
$script</body>
</html>
""")
"""With places for what `compose_page` puts in."""
TABLES = Template("""\
<div class="tables">
<section><h2>Numbers</h2><div class="scroll numbers">$metrics</div></section>
<section><h2>Where it comes from</h2><div class="scroll">$provenance</div></section>
</div>
""")
"""The tables of a page about runs."""
