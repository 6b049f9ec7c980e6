import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { session } from './session/session';
import { applyTheme } from './ui/preferences';
import './styles/base.css';
import './styles/parts.css';
import './styles/shell.css';
import './styles/overview.css';

applyTheme();
void session.restore();

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
