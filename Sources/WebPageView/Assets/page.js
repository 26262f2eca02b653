"use strict";

// The page works without this. It brings what changes elsewhere while the page is open, leaves alone what somebody is
// typing, and adds keys. All that is shown comes from the server, as HTML in which every text is escaped.
(() => {
  const at = document.body.dataset.at;

  // MARK: What changes elsewhere

  const isInUse = (element) =>
    element.contains(document.activeElement) && document.activeElement.matches("input, textarea, select");

  const isTouched = (form) =>
    [...form.elements].some((control) => {
      if (control.type === "checkbox") return control.checked !== control.defaultChecked;
      if (control.tagName === "SELECT") return [...control.options].some((o) => o.selected !== o.defaultSelected);
      return "defaultValue" in control && control.type !== "hidden" && control.value !== control.defaultValue;
    });

  const fits = (old, next) => old.nodeName === next.nodeName && (old.id || "") === (next.id || "");

  // Attributes that the user may have changed outside a form; an update keeps them.
  const isKept = (element, name) => name === "open" || (name === "checked" && element.hasAttribute("form"));

  // Makes `old` what `next` is, and keeps every node that is in both: focus, selection and what is open stay.
  const morph = (old, next) => {
    if (old.isEqualNode(next)) return;
    if (old.nodeType !== Node.ELEMENT_NODE) { old.nodeValue = next.nodeValue; return; }
    if (old.nodeName === "FORM" && (isInUse(old) || isTouched(old) || "typed" in old.dataset)) return;
    for (const { name } of [...old.attributes]) if (!next.hasAttribute(name) && !isKept(old, name)) old.removeAttribute(name);
    for (const { name, value } of next.attributes) if (!isKept(old, name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
    if (old.matches("input, textarea") && old.type !== "checkbox") old.value = next.value;
    morphChildren(old, next);
  };

  const morphChildren = (old, next) => {
    const named = new Map([...old.children].filter((child) => child.id).map((child) => [child.id, child]));
    let place = old.firstChild;
    for (const child of [...next.childNodes]) {
      const known = child.id ? named.get(child.id) : undefined;
      const match = known && fits(known, child) ? known : place && !place.id && fits(place, child) ? place : null;
      if (!match) { old.insertBefore(document.importNode(child, true), place); continue; }
      if (match === place) place = place.nextSibling;
      else if (!match.contains(document.activeElement)) old.insertBefore(match, place);
      morph(match, child);
    }
    while (place) {
      const after = place.nextSibling;
      if (!next.querySelector(`:scope > #${place.id ? CSS.escape(place.id) : "_"}`)) place.remove();
      place = after;
    }
  };

  let isFetching = false;
  let isStale = false;
  const refresh = async () => {
    isStale = true;
    if (isFetching) return;
    isFetching = true;
    try {
      while (isStale) {
        isStale = false;
        const answer = await fetch(`${at}${at.includes("?") ? "&" : "?"}live=1`);
        if (answer.status === 401) return close();
        if (answer.ok) show(new DOMParser().parseFromString(await answer.text(), "text/html"));
      }
    } catch { setTimeout(listen, 2000); } finally { isFetching = false; }
  };

  const show = (page) => {
    for (const region of document.querySelectorAll("[data-live]")) {
      const next = page.getElementById(region.id);
      const hadFocus = region.contains(document.activeElement);
      if (next) morphChildren(region, next);
      if (hadFocus && document.activeElement === document.body) document.getElementById("main").focus({ preventScroll: true });
    }
    // The result of a command that took long: it comes with the change that it made.
    const messages = ["status", "alert"].map((id) => [document.getElementById(id), page.getElementById(id)]);
    if (messages.some(([, next]) => next?.childElementCount)) for (const [region, next] of messages) region.replaceChildren(...next.childNodes);
  };

  let stream = null;
  const listen = () => {
    if (stream || document.hidden) return;
    stream = new EventSource(`/live?at=${encodeURIComponent(at)}`);
    stream.addEventListener("open", () => { tell(""); refresh(); });
    stream.addEventListener("change", refresh);
    stream.addEventListener("end", close);
    stream.addEventListener("error", () => {
      tell(`No connection to ${document.body.dataset.brand}; trying again.`);
      // Refused, and not only interrupted: the answer to asking says why.
      if (stream?.readyState === EventSource.CLOSED) { rest(); refresh(); }
    });
  };
  // A browser has but a few connections for all tabs of a page: one that nobody sees needs none.
  const rest = () => { stream?.close(); stream = null; };
  const tell = (text) => { document.getElementById("connection").textContent = text; };
  const close = () => {
    rest();
    tell("");
    const told = document.createElement("div");
    told.className = "failure";
    told.textContent = `This page’s session has ended. ${document.body.dataset.renewal}`;
    document.getElementById("alert").replaceChildren(told);
  };
  document.addEventListener("visibilitychange", () => (document.hidden ? rest() : listen()));
  addEventListener("pagehide", rest);
  addEventListener("pageshow", (event) => { if (event.persisted) { listen(); refresh(); } });

  // MARK: Announcing the messages of the page

  // A screen reader announces only changes of a live region, so the messages of the page are removed and inserted again.
  for (const region of document.querySelectorAll(".messages > *")) {
    const messages = [...region.childNodes];
    if (messages.length) requestAnimationFrame(() => { region.replaceChildren(); requestAnimationFrame(() => region.append(...messages)); });
  }
  document.querySelector("[aria-invalid]")?.focus();

  // MARK: Files for a text field

  for (const area of document.querySelectorAll("textarea[data-file]")) {
    const label = document.createElement("label");
    const chooser = document.createElement("input");
    label.textContent = "Or choose a file";
    chooser.type = "file";
    label.append(document.createElement("br"), chooser);
    area.after(label);
    chooser.addEventListener("change", async () => { if (chooser.files[0]) area.value = await chooser.files[0].text(); });
  }

  // MARK: Menus close as menus do

  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll(".menu[open]")) if (!menu.contains(event.target)) menu.open = false;
  });

  // MARK: Keys

  const dialog = document.getElementById("keys");
  const areKeysOn = document.getElementById("keys-on");
  const button = document.getElementById("keys-button");
  areKeysOn.checked = localStorage.getItem("keys") !== "off";
  areKeysOn.addEventListener("change", () => localStorage.setItem("keys", areKeysOn.checked ? "on" : "off"));
  button.hidden = false;
  button.addEventListener("click", () => dialog.showModal());

  // The keys are those of the screens, as the dialog lists them.
  const step = ({ target, row }, by) => {
    const all = [...document.querySelectorAll(target)];
    const here = document.activeElement.closest?.(row);
    const index = all.findIndex((element) => here?.contains(element));
    all[Math.min(Math.max(index + by, 0), all.length - 1)]?.focus();
  };
  const actions = {
    open: ({ target }) => location.assign(target),
    focus: ({ target }) => document.querySelector(target)?.focus(),
    next: (key) => step(key, 1),
    previous: (key) => step(key, -1),
    click: ({ target, row }) => document.activeElement.closest?.(row)?.querySelector(target)?.click(),
  };
  const keys = new Map([["?", () => dialog.showModal()]]);
  for (const { dataset } of dialog.querySelectorAll("[data-key]")) keys.set(dataset.key, () => actions[dataset.action](dataset));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      for (const menu of document.querySelectorAll(".menu[open]")) { menu.open = false; menu.querySelector("summary").focus(); }
    }
    const isTyping = event.target.closest?.("input:not([type=checkbox]), textarea, select, dialog");
    if (!areKeysOn.checked || isTyping || event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    const action = keys.get(event.key);
    if (!action) return;
    event.preventDefault();
    action();
  });

  listen();
})();
