"""What is on the page can be changed while it runs."""

import time

from grouser.cli import main
from grouser.log import read_log
from tests.viewer.browser import Tab, wait_until


def choose(tab: Tab, now: str, wanted: str) -> None:
    """Pick another entry of the list that shows `now`."""
    script = f"""(() => {{
        const found = [...document.querySelectorAll("input")].find(e => e.value === {now!r});
        if (!found) return null;
        found.scrollIntoView({{block: "center"}});
        const box = found.getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
    }})()"""
    is_open = "Boolean(document.querySelector('input[aria-expanded=true]'))"
    for _ in range(5):  # the panel may move under the mouse while the page still settles
        tab.click(*tab.rest(script))
        time.sleep(0.5)
        if tab.evaluate(is_open):
            break
    option = f"""(() => {{
        const all = [...document.querySelectorAll("[role=option]")];
        const found = all.find(
            e => e.textContent.trim() === {wanted!r} && e.getBoundingClientRect().width > 0);
        if (found) found.click();
        return Boolean(found);
    }})()"""
    tab.wait_for(option)


def test_model_and_course_are_switched(open_page, open_tab):
    page = open_page()
    tab = open_tab(page)
    tab.wait_for("grouser.status.you === 'drive'")
    choose(tab, "csm", "icr")
    wait_until(lambda: page.loop.session.scenario.model.name == "icr", "the model is switched")
    choose(tab, "flat", "behaviour-2")
    wait_until(
        lambda: page.loop.session.scenario.course.name == "behaviour-2", "the course is switched"
    )
    tab.press("w")
    wait_until(lambda: page.loop.latest.motion.twist.vx > 0.05, "it drives at once")
    tab.release("w")
    assert tab.complaints() == []


def test_a_course_that_the_model_cannot_drive_is_refused_in_a_sentence(open_page, open_tab):
    page = open_page(model="icr")
    tab = open_tab(page)
    tab.wait_for("grouser.status.you === 'drive'")
    choose(tab, "flat", "staircase")
    tab.wait_for("document.body.textContent.includes('models that can')")
    assert page.loop.session.scenario.course.name == "flat"
    tab.wait_for("[...document.querySelectorAll('input')].some(e => e.value === 'flat')")


def test_a_ghost_separates_on_a_slippery_turn(open_page, open_tab):
    page = open_page(course="slippery", ghosts=("icr",))
    tab = open_tab(page)
    tab.wait_for("grouser.status.you === 'drive' && grouser.status.gaps.length === 1")
    tab.press("w")
    tab.press("a")
    tab.wait_for("grouser.status.gaps[0].distance > 0.1")
    tab.release("a")
    tab.release("w")
    shown = tab.evaluate("document.getElementById('grouser-gaps').textContent")
    assert shown.startswith("icr")
    assert "°" in shown
    tab.wait_for("""(() => {
        const all = [...document.querySelectorAll("*")].filter(e => e.children.length < 2);
        const titles = all.filter(e => e.textContent.trim().startsWith("Ghosts (other models"));
        if (titles.length) titles.at(-1).click();
        return titles.length > 0;
    })()""")
    assumed = "document.body.innerText.includes('icr assumes ')"
    tab.wait_for("document.querySelectorAll('.grouser-info').length === 2")
    assert not tab.evaluate(assumed)
    tab.click_text("icr", ".grouser-info summary")
    tab.wait_for(assumed)


def test_a_soil_is_chosen_and_ruts_have_a_legend(open_page, open_tab):
    page = open_page(ghosts=("firm-ground",))
    tab = open_tab(page)
    tab.wait_for("grouser.status.you === 'drive' && grouser.status.ruts.length === 0")
    choose(tab, "as described", "snow")
    wait_until(lambda: "soil" in page.loop.session.course.features, "the ground is soft")
    tab.press("w")
    tab.wait_for("grouser.status.ruts.length > 4 && grouser.status.gaps.length === 1")
    tab.release("w")
    tab.wait_for("document.getElementById('grouser-ruts').textContent.includes('20 to 50 mm')")
    assert tab.complaints() == []


def test_a_scenario_is_saved_and_runs_by_itself(open_page, open_tab, tmp_path):
    page = open_page(robot="tp100", model="slip", start_pose="0.2,0.1,30", seed=3)
    tab = open_tab(page)
    tab.wait_for("grouser.status.you === 'drive'")
    tab.press("w")
    wait_until(lambda: page.loop.session.was_driven, "it drives")
    tab.release("w")
    wait_until(lambda: page.loop.latest.motion.twist.vx == 0.0, "it stands")
    tab.click_text("Recordings", "[role=tab]")
    tab.click_text("Save as scenario", "button")
    folder = tmp_path / "drives"
    (file,) = wait_until(lambda: list(folder.glob("[!.]*.toml")), "it is saved")
    tab.wait_for("document.body.textContent.includes('run it with: grouser run')")
    assert main(["run", str(file), "--out", str(tmp_path / "again.csv")]) == 0
    recorded, again = read_log(file.with_suffix(".parquet")), read_log(tmp_path / "again.csv")
    for name in set(recorded) - {"wall_time"}:
        assert (again[name] == recorded[name]).all(), name


def test_a_drive_is_saved_listed_and_replayed(open_page, open_tab):
    page = open_page(robot="tp100", model="slip")
    tab = open_tab(page)
    tab.wait_for("grouser.status.you === 'drive'")
    tab.press("w")
    wait_until(lambda: page.loop.latest.motion.pose.x > 0.05, "it drives")
    tab.release("w")
    wait_until(lambda: page.loop.latest.motion.twist.vx == 0.0, "it stands")
    end = page.loop.latest.motion.pose.x
    tab.click_text("Recordings", "[role=tab]")
    tab.click_text("Save recording", "button")
    (name,) = wait_until(page.commands.recordings.names, "it is saved")
    tab.reload()
    tab.wait_for("window.grouser && grouser.status && grouser.status.you === 'drive'", 60.0)
    tab.click_text("Recordings", "[role=tab]")
    tab.wait_for(f"[...document.querySelectorAll('input')].some(e => e.value === {name!r})")
    tab.click_text("Replay", "button")
    tab.wait_for("grouser.status.mode === 'replay'")
    tab.wait_for(f"Math.abs(grouser.status.pose[0] - {end}) < 1e-3")
    tab.click_text("Back to driving", "button")
    tab.wait_for("grouser.status.mode === 'manual'")
