"""What must hold of a page, a sentence each. Every check gets a page that is open and ready."""

from playwright.sync_api import Page

INK = """canvas => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let ink = 0;
  for (let i = 3; i < data.length; i += 4) ink += data[i] > 0;
  return ink;
}"""


def every_view_is_drawn(page: Page) -> None:
    assert page.locator(".headline").inner_text().strip()
    assert page.locator("#layers .card").count() >= 2
    maps = page.locator("#maps figure > canvas")
    assert maps.count() == page.locator("#layers .column").count()
    for canvas in maps.all():
        assert canvas.evaluate(INK) > 200, "a map is empty"
    assert page.locator("#bases .component, #topics .topic").count() >= 3
    assert page.locator("#fit .error").get_attribute("points")
    assert page.locator("#looked .inlayer").count() == page.locator("#layers .column").count()
    if page.locator("#table button").count():
        assert page.locator("#agreement .square").count() >= 2


def nothing_is_wider_than_the_window(page: Page) -> None:
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 1, f"{wide} pixels too wide"


def selected(page: Page) -> int:
    """How many samples are selected, as the page tells it."""
    text = page.locator(".selected h2").inner_text()
    return 0 if text == "Selection" else int(text.split()[0].replace(",", ""))


def a_click_on_a_cluster_selects_it_everywhere(page: Page) -> None:
    ink = [canvas.screenshot() for canvas in page.locator("#maps figure > canvas").all()]
    page.locator("#layers .card").first.click()
    assert selected(page) > 0
    assert page.locator("#layers .card.out").count() > 0, "other clusters step back"
    if page.locator("#layers .column").count() > 1:
        lit = page.locator("#layers .lit").evaluate_all("all => all.filter(p => p.getAttribute('d')).length")
        assert lit > 0, "its bands are lit"
    after = [canvas.screenshot() for canvas in page.locator("#maps figure > canvas").all()]
    assert all(a != b for a, b in zip(ink, after)), "every map shows it"
    page.keyboard.press("Escape")
    assert selected(page) == 0


def shift_keeps_what_is_in_both(page: Page) -> None:
    columns = page.locator("#layers .column")
    columns.first.locator(".card").first.click()
    before = selected(page)
    columns.last.locator(".card").first.click(modifiers=["Shift"])
    assert selected(page) <= before
    assert " and " in page.locator(".selected p").first.inner_text()
    page.keyboard.press("Escape")


def a_drag_over_a_map_selects(page: Page) -> None:
    canvas = page.locator("#maps figure > canvas").first
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.6, steps=5)
    page.mouse.up()
    assert selected(page) > 0
    page.locator(".selected button", has_text="Clear").click()
    assert selected(page) == 0


def a_cell_of_the_table_opens_its_agreement(page: Page) -> None:
    cells = page.locator("#table button.cell")
    cells.last.click()
    assert page.locator("#table button.cell").last.get_attribute("aria-pressed") == "true"
    layer = page.locator("#agreement select").first
    assert layer.evaluate("s => s.selectedIndex") == page.locator("#layers .column").count() - 1
    page.locator("#agreement .square").first.click()
    assert selected(page) >= 0
    page.keyboard.press("Escape")


def a_measure_can_be_chosen(page: Page) -> None:
    text = page.locator("#table table").inner_text()
    page.locator("#table .switcher button", has_text="SVM").click()
    assert page.locator("#table table").inner_text() != text


def a_component_selects_the_samples_that_use_it(page: Page) -> None:
    page.locator("#bases .component").first.click()
    assert selected(page) > 0
    page.keyboard.press("Escape")


def maps_can_be_coloured_and_drawn_otherwise(page: Page) -> None:
    canvas = page.locator("#maps figure > canvas").first
    looks = {canvas.screenshot()}
    page.locator("#maps select").select_option(index=1)
    assert page.locator("#maps .legend button").count() >= 2
    looks.add(page.locator("#maps figure > canvas").first.screenshot())
    page.get_by_role("button", name="Principal components").click()
    looks.add(page.locator("#maps figure > canvas").first.screenshot())
    page.get_by_role("button", name="Pictures").click()
    looks.add(page.locator("#maps figure > canvas").first.screenshot())
    assert len(looks) == 4, "every choice looks different"


def keys_do_what_the_pointer_does(page: Page) -> None:
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.type") == "search"
    page.keyboard.type("identity")
    assert page.locator("#found [role=option]").count() > 1
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert selected(page) > 0
    page.keyboard.press("Escape")
    assert selected(page) == 0

    page.locator("#table button.cell").first.focus()
    page.keyboard.press("ArrowRight")
    place = "Array.from(document.querySelectorAll('#table button.cell')).indexOf(document.activeElement)"
    assert page.evaluate(place) == 1
    page.keyboard.press("Enter")
    assert page.locator("#table button.cell").nth(1).get_attribute("aria-pressed") == "true"

    page.locator("#layers .card").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert selected(page) > 0
    page.keyboard.press("Escape")

    name = page.locator("#looked h2").inner_text
    before = name()
    page.keyboard.press("]")
    assert name() != before
    page.keyboard.press("[")
    assert name() == before
    page.locator("#maps figure > canvas").first.focus()
    been = {before}
    for key in ["ArrowRight", "ArrowUp", "ArrowLeft", "ArrowDown"]:
        page.keyboard.press(key)
        been.add(name())
    assert len(been) >= 3, "arrows go from sample to sample"
    page.keyboard.press("?")
    assert page.locator("dialog").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("dialog").is_visible()


def everything_that_can_be_clicked_can_be_focused(page: Page) -> None:
    unreachable = page.evaluate("""() => Array.from(document.querySelectorAll('button, select, input, a'))
        .filter(e => e.offsetParent && !e.disabled && e.tabIndex < -1).length""")
    assert unreachable == 0
    nameless = page.evaluate("""() => Array.from(document.querySelectorAll('button'))
        .filter(e => !(e.ariaLabel || e.textContent.trim())).length""")
    assert nameless == 0, "every button has a name"


def the_page_turns_dark_and_back(page: Page) -> None:
    ground = lambda: page.evaluate("getComputedStyle(document.body).backgroundColor")
    before = ground()
    page.keyboard.press("d")
    assert ground() != before
    page.locator("#theme").click()
    assert ground() == before


def hostile_texts_are_texts(page: Page) -> None:
    assert page.evaluate("window.harmed") is None
    assert page.evaluate("document.querySelectorAll('main img, main script').length") == 0
    assert page.locator("#title").inner_text().startswith("</script>")
    page.keyboard.press("/")
    page.keyboard.type("onerror")
    assert "<img src=x" in page.locator("#found").inner_text()
    page.keyboard.press("Enter")
    assert selected(page) > 0
    for element in page.locator("#layers .card, #bases .component").all():
        element.hover()
    assert page.evaluate("window.harmed") is None
    page.keyboard.press("Escape")


def the_sheet_opens_and_closes(page: Page) -> None:
    """On a phone, the inspector comes from below."""
    handle = page.locator(".handle")
    assert handle.is_visible() and handle.get_attribute("aria-expanded") == "false"
    handle.click()
    assert page.locator("#looked .inlayer").first.is_visible()
    page.locator(".handle").click()
    assert page.locator(".handle").get_attribute("aria-expanded") == "false"


def thinning_is_told(page: Page) -> None:
    text = page.locator(".notes").inner_text()
    assert "1,000 of 100,000 samples are shown" in text and "10,000 of 100,000" in text, text


def it_prints(page: Page) -> None:
    paper = page.pdf(format="A4", print_background=True)
    assert paper.startswith(b"%PDF") and len(paper) > 30_000


def topics_select_their_samples(page: Page) -> None:
    cards = page.locator("#topics .topic")
    assert cards.count() == 9 and page.locator("#bases").is_hidden()
    assert cards.first.locator(".word-list").count() == 2
    assert page.locator("#topics .made-of .chip").count() > 9
    cards.first.locator(".topic-head").click()
    assert 0 < selected(page) < 120
    page.keyboard.press("Escape")
    cards.last.locator(".chip").last.click()
    assert "<i>document" in page.locator("#inspector").inner_text(), "texts stay texts"
