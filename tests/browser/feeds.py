"""Mistakes in a feed by the rules of RFC 4287 (Atom) and of JSON Feed 1.1, as a list of sentences."""

import re
import urllib.parse
import xml.etree.ElementTree

ATOM = "{http://www.w3.org/2005/Atom}"
ONCE = ("id", "title", "updated")
AT_MOST_ONCE = {"feed": ("generator", "icon", "logo", "rights", "subtitle"),
                "entry": ("content", "published", "rights", "source", "summary")}
KNOWN = {"feed": {*ONCE, *AT_MOST_ONCE["feed"], "author", "category", "contributor", "link", "entry"},
         "entry": {*ONCE, *AT_MOST_ONCE["entry"], "author", "category", "contributor", "link"}}
DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")  # RFC 3339, with capitals
JSON_FEED = {"version", "title", "home_page_url", "feed_url", "description", "user_comment", "next_url", "icon",
             "favicon", "authors", "language", "expired", "hubs", "items"}
JSON_ITEM = {"id", "url", "external_url", "title", "content_html", "content_text", "summary", "image", "banner_image",
             "date_published", "date_modified", "authors", "tags", "language", "attachments"}


def is_absolute(address):
    return bool(urllib.parse.urlparse(address or "").scheme)


def element_faults(element, kind):
    """Of a feed or an entry."""
    names = [child.tag.removeprefix(ATOM) for child in element]
    faults = [f"{kind}: {names.count(name)} of {name}, not one" for name in ONCE if names.count(name) != 1]
    faults += [f"{kind}: more than one {name}" for name in AT_MOST_ONCE[kind] if names.count(name) > 1]
    faults += [f"{kind}: unknown element {name}" for name in names if name not in KNOWN[kind] and "}" not in name]
    if not is_absolute(element.findtext(ATOM + "id")):
        faults.append(f"{kind}: its id is no absolute address")
    dates = [child.text or "" for child in element if child.tag in (ATOM + "updated", ATOM + "published")]
    faults += [f"{kind}: no date of RFC 3339: {date}" for date in dates if not DATE.fullmatch(date)]
    links = element.findall(ATOM + "link")
    faults += [f"{kind}: a link without address" for link in links if not link.get("href")]
    places = [(link.get("type"), link.get("hreflang")) for link in links if link.get("rel", "alternate") == "alternate"]
    if len(places) != len(set(places)):
        faults.append(f"{kind}: two alternates of one type")
    texts = [child for name in ("title", "subtitle", "summary", "rights") for child in element.findall(ATOM + name)]
    faults += [f"{kind}: text of type {text.get('type')}" for text in texts if text.get("type", "text") not in ("text", "html", "xhtml")]
    return faults


def atom_faults(text):
    root = xml.etree.ElementTree.fromstring(text)
    if root.tag != ATOM + "feed":
        return [f"the root is {root.tag}"]
    faults, entries = element_faults(root, "feed"), root.findall(ATOM + "entry")
    for entry in entries:
        faults += element_faults(entry, "entry")
        if root.find(f"{ATOM}author/{ATOM}name") is None and entry.find(f"{ATOM}author/{ATOM}name") is None:
            faults.append("entry: neither it nor the feed has an author")
        has_alternate = any(link.get("rel", "alternate") == "alternate" for link in entry.findall(ATOM + "link"))
        if entry.find(ATOM + "content") is None and not has_alternate:
            faults.append("entry: neither content nor an alternate")
    ids = [element.findtext(ATOM + "id") for element in [root, *entries]]
    if len(ids) != len(set(ids)):
        faults.append("two elements of one id")
    if any(entry.findtext(ATOM + "updated", "") > root.findtext(ATOM + "updated", "") for entry in entries):
        faults.append("an entry is newer than the feed")
    return faults


def json_faults(feed):
    faults = [f"feed: unknown {key}" for key in feed if key not in JSON_FEED and not key.startswith("_")]
    if feed.get("version") != "https://jsonfeed.org/version/1.1":
        faults.append(f"version {feed.get('version')}")
    if not isinstance(feed.get("title"), str):
        faults.append("feed: no title")
    faults += [f"feed: {key} is not absolute" for key in ("home_page_url", "feed_url") if key in feed and not is_absolute(feed[key])]
    items = feed.get("items")
    if not isinstance(items, list):
        return faults + ["feed: no list of items"]
    for item in items:
        faults += [f"item: unknown {key}" for key in item if key not in JSON_ITEM and not key.startswith("_")]
        if not isinstance(item.get("id"), str) or not item["id"]:
            faults.append("item: its id is no text")
        if not any(isinstance(item.get(key), str) for key in ("content_html", "content_text")):
            faults.append("item: no content")
        if "url" in item and not is_absolute(item["url"]):
            faults.append(f"item: {item['url']} is not absolute")
        faults += [f"item: no date of RFC 3339: {item[key]}" for key in ("date_published", "date_modified")
                   if key in item and not DATE.fullmatch(item[key])]
    if len({item.get("id") for item in items}) != len(items):
        faults.append("two items of one id")
    return faults
