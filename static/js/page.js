// What every page has: the palette, the shortcuts, menus that close, things that copy, forms that are sent once.
import "./away.js";
import "./dialogs.js";
import "./palette.js";
import "./shortcuts.js";
import "./menus.js";
import "./copying.js";
import "./once.js";
