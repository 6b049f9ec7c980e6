import { loadPages } from './place';
import { session } from './session/session';
import { applyTheme } from './ui/preferences';
import './styles/base.css';
import './styles/parts.css';
import './styles/shell.css';
import './styles/overview.css';

// The session is restored, and the pages are loaded, while the application is. It loads the pages again if that fails.
applyTheme();
void session.restore();
loadPages().catch(() => undefined);
void import('./app').then(({ start }) => start());
