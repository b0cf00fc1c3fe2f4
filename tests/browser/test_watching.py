"""The page of a robot that a board drives."""

from tests.browser.test_mistakes import press_all
from tests.viewer.browser import wait_until
from tests.viewer.elsewhere import Elsewhere

TOLD = """[...document.querySelectorAll("#grouser-help > div")]
    .filter(part => part.offsetHeight > 0).map(part => part.innerText).join()"""


def test_only_keys_that_do_something_are_told_and_space_stops_the_motors(open_page, open_tab):
    elsewhere = Elsewhere()
    elsewhere.put(1.0, 0.3)
    tab = open_tab(open_page(external=elsewhere, robot="tp100", model="ideal"))
    tab.wait_for("grouser.status.mode === 'board' && grouser.status.you === 'drive'")
    told = tab.wait_for(f"(told => told.includes('stops the motors') && told)({TOLD})")
    assert "drive" not in told
    assert press_all(tab, "board") == {"pause", "camera", "help"}
    tab.press(" ")
    wait_until(lambda: elsewhere.is_stopped, "the motors are stopped")
