"""The viewer in a real browser: it opens, lists, and asks nothing of other machines."""


def test_the_first_page_leads_to_the_trials(viewer, terminal_bench, open_page):
    with viewer(terminal_bench) as view:
        page = open_page(view)
        page.get_by_role("link", name="Trials").click()
        page.wait_for_url("**/trials")
        page.wait_for_selector("tbody tr")
        assert "token" not in page.url
        page.keyboard.press("?")
        assert page.locator("dialog#keys").is_visible()
