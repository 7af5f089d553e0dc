import "./ui/theme.css";
import "./ui/controls.css";
import "./ui/pages.css";
