"""Problems that axe finds on a page for people who see little or nothing, or use no mouse.

Runs all of axe's rules: WCAG's and its own best practices. https://dequeuniversity.com/rules/axe
"""


def check_accessible(checks, page, what):
    """One check of the page in its present state, named by `what`. Needs axe-playwright-python."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    checks.check(not found, f"axe, {what}:" + "".join(map(described, found)))


def described(violation):
    """A line for a violation, with the first places where it was found."""
    nodes = violation["nodes"]
    places = "; ".join(f"{' '.join(map(str, node['target']))}: {summary(node)}" for node in nodes[:3])
    return f"\n  {violation['id']} ({violation['impact']}), {len(nodes)} times: {places}"


def summary(node):
    return " ".join(node.get("failureSummary", "").split())[:200]
