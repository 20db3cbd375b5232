// What every page has: the palette, the shortcuts, menus that close, things that copy.
import "./away.js";
import "./dialogs.js";
import "./palette.js";
import "./shortcuts.js";
import "./menus.js";
import "./copying.js";
