"""Manoeuvres of P3 on the command line."""

RUN = "run --robot tankbot --model tankbot --course treadmill"


def test_a_manoeuvre_is_driven_plotted_and_replayed(grouser, tmp_path):
    answer = grouser(f"{RUN} --drive manoeuvre:name=step-x --duration 7 --out a.csv --plot a.html")
    assert answer.code == 0, answer.err
    page = (tmp_path / "a.html").read_text()
    for words in ("Forces on the robot", "Track force over slip", "Lateral force over sideslip",
                  "Voltages", "Place across"):  # fmt: skip
        assert words in page
    assert grouser("replay a.csv").code == 0
    assert grouser("plot a.csv --out a.png").code == 0
    assert (tmp_path / "a.png").stat().st_size > 50_000


def test_a_tilted_manoeuvre_asks_for_a_tilted_treadmill(grouser):
    answer = grouser(f"{RUN} --drive manoeuvre:name=step-y-pitched")
    assert answer.code == 2
    assert "must be treadmill:slope_deg=2,roll_deg=0 for manoeuvre 'step-y-pitched'" in answer.err
    line = f"{RUN}:slope_deg=2 --drive manoeuvre:name=step-y-pitched --duration 1"
    assert grouser(line).code == 0


def test_mistakes_are_told_in_one_sentence(grouser):
    for line, words in (
        (f"{RUN} --drive manoeuvre:name=step-z", "no manoeuvre named 'step-z'"),
        (f"{RUN} --drive manoeuvre:delay=0.5", "command delay must be a whole number"),
        (f"{RUN} --drive manoeuvre:gain_mode=si", "gain_mode must be per_sample_difference or"),
        ("run --robot tankbot --model slip --course flat --drive manoeuvre",
         "driver 'manoeuvre' needs motors, which model 'slip' lacks; models that can: tankbot"),
        ("run --robot tp100 --model tankbot --course flat --drive manoeuvre",
         "robot must have a [drive.motor] to be held by voltages, not 'tp100'"),
        ("reproduce P7", "no paper named 'P7'"),
    ):  # fmt: skip
        answer = grouser(line)
        assert answer.code == 2
        assert words in answer.err


def test_all_experiments_of_the_paper_run_at_once(grouser, tmp_path):
    answer = grouser("tankbot --out-dir out --json")
    assert answer.code == 0
    found = answer.json
    assert found["responses"]["step-x"]["x_overshoot_pct"] > 30.0
    assert len(found["statistics"]) == 18
    assert {"C_alpha", "D_l", "J"} <= {entry["name"] for entry in found["parameters"]}
    pages = sorted(path.name for path in (tmp_path / "out").glob("*.html"))
    assert len(pages) == 8
    assert {"step-y-rolled.html", "slip-utilisation.html"} <= set(pages)
