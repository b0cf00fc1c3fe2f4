"""A page whose model is still being compiled, in a real browser."""

from tests.viewer.browser import wait_until
from tests.viewer.stand_ins import compile_by_hand

NOTE = "document.getElementById('grouser-note')"


def test_the_page_is_driven_by_a_stand_in_until_its_model_is_compiled(
    open_page, open_tab, monkeypatch
):
    started = compile_by_hand(monkeypatch, "slip")
    page = open_page(model="slip", is_awaited=False)
    tab = open_tab(page)
    tab.wait_for("grouser.status.you === 'drive'")
    started[0].show(0.4)
    words = "slip is being compiled: 40 %; driving with ideal until then"
    tab.wait_for(f"{NOTE}.textContent === {words!r} && !{NOTE}.hidden")
    tab.press("w")
    wait_until(lambda: page.loop.latest.motion.pose.x > 0.1, "the stand-in drives")
    run = page.loop.latest.run
    started[0].end(None)
    wait_until(lambda: page.loop.latest.run != run, "the model takes over")
    assert page.loop.session.simulation.model.name == "slip"
    assert page.loop.latest.motion.pose.x > 0.1
    tab.wait_for(f"{NOTE}.hidden")
    tab.release("w")
    assert tab.complaints() == []
