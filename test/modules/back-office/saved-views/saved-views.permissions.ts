import { absent, at, get, MALFORMED, Permissions, post, remove } from '../../../system/permissions/request';
import { Home } from '../../../system/permissions/cast';
import { created, theAdmin } from '../../../support/people';

const aView = () => ({ page: 'transactions', name: `Failed ${Math.random()}`, query: { status: 'failed' } });

/** A view that the admin shares. @returns its id */
async function sharedView(home: Home): Promise<string> {
  const { api } = await theAdmin((await home.member()).api);
  return (await created(api, '/v1/saved-views', { ...aView(), shared: true })).id;
}

/** A view that the admin keeps. */
async function keptView(home: Home): Promise<string> {
  const { api } = await theAdmin((await home.member()).api);
  return (await created(api, '/v1/saved-views', aView())).id;
}

const views = new WeakMap<Home, Promise<readonly [shared: string, kept: string]>>();

function viewsFor(home: Home): Promise<readonly [shared: string, kept: string]> {
  const ofHome = views.get(home) ?? Promise.all([sharedView(home), keptView(home)]);
  views.set(home, ofHome);
  return ofHome;
}

/** Who may call the operations of saved views. The columns and cells are described in permissions.suite.ts. */
export const permissions: Permissions = {
  matrix: `
                                anon self other unlinked member owner susp closed platform admin expired revoked
    createSavedView             401  403  403   403      403    403   403  401    201      201   401     401
    createSavedView, malformed  401  400  400   400      400    400   400  401    400      400   401     401
    listSavedViews              401  403  403   403      403    403   403  401    200+     200+  401     401
    deleteSavedView             401  403  403   403      403    403   403  401    403      200   401     401
    deleteSavedView, not shared 401  403  403   403      403    403   403  401    404      404   401     401
    deleteSavedView, absent     401  403  403   403      403    403   403  401    404      404   401     401
    deleteSavedView, malformed  401  403  403   403      403    403   403  401    404      404   401     401
  `,
  requests: {
    createSavedView: post('/v1/saved-views', aView),
    'createSavedView, malformed': post('/v1/saved-views', () => ({ ...aView(), page: 'secrets' })),
    listSavedViews: get(at('/v1/saved-views?limit=100'), async (home) => (await viewsFor(home))[0]),
    deleteSavedView: remove(async (home) => `/v1/saved-views/${(await viewsFor(home))[0]}`),
    'deleteSavedView, not shared': remove(async (home) => `/v1/saved-views/${(await viewsFor(home))[1]}`),
    'deleteSavedView, absent': remove(at(`/v1/saved-views/${absent('view')}`)),
    'deleteSavedView, malformed': remove(at(`/v1/saved-views/${MALFORMED}`)),
  },
};
