/**
 * The application is at two places: at /console for the back office, which sees all accounts; at /dashboard for the owner
 * and the members of one account.
 */
export const place = location.pathname.startsWith('/dashboard') ? 'dashboard' : 'console';

export const isDashboard = place === 'dashboard';

/** The pages of the place. */
export const loadPages = isDashboard ? () => import('./dashboard-pages') : () => import('./console-pages');
