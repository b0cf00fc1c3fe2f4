"""`grouser reproduce` from the command line."""

import json


def test_claims_are_printed_and_written(grouser, tmp_path):
    answer = grouser("reproduce P2 --out-dir out")
    assert answer.code == 0
    assert "124 agrees, 9 differs, 57 cannot be compared" in answer.out
    assert "P2's text takes the largest positive error" in answer.out
    assert "Table 2: 4 cannot be compared, because wheel speeds" in answer.out
    (content,) = json.loads((tmp_path / "out" / "claims.json").read_text())
    assert content["paper"] == "P2"
    assert {claim["verdict"] for claim in content["claims"]} == {
        "agrees", "differs", "cannot be compared",
    }  # fmt: skip
    assert (tmp_path / "out" / "claims.html").stat().st_size > 1e6


def test_an_unknown_paper_is_told(grouser):
    answer = grouser("reproduce P7")
    assert answer.code == 2
    assert "no paper named 'P7'" in answer.err
