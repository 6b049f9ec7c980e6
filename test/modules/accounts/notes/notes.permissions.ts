import {
  absent,
  get,
  MALFORMED,
  Permissions,
  post,
  remove,
  Request,
} from '../../../system/permissions/request';
import { Home } from '../../../system/permissions/cast';
import { created, theAdmin } from '../../../support/people';

const ofAccount = ({ accountId }: Home) => `/v1/accounts/${accountId}/notes`;
const ofUser = async ({ member }: Home) => `/v1/users/${(await member()).id}/notes`;
const absentAccount = () => `/v1/accounts/${absent('acc')}/notes`;
const absentUser = () => `/v1/users/${absent('usr')}/notes`;
const malformedAccount = () => `/v1/accounts/${MALFORMED}/notes`;
const malformedUser = () => `/v1/users/${MALFORMED}/notes`;
const aNote = () => ({ text: 'Asked for a copy of the contract.' });

/** The notes of a home by their paths: the users of a closed account are deleted, so nobody can write them later. */
const notes = new WeakMap<Home, Map<string, string>>();

/** A note that the admin writes. @returns its id */
async function noteAt(home: Home, path: Request['path']): Promise<string> {
  const ofHome = notes.get(home) ?? new Map<string, string>();
  notes.set(home, ofHome);
  const at = await path(home);
  if (!ofHome.has(at)) {
    const { api } = await theAdmin((await home.member()).api);
    ofHome.set(at, (await created(api, at, aNote())).id);
  }
  return ofHome.get(at)!;
}
const listing = (path: Request['path']): Request => get(path, (home) => noteAt(home, path));
const removing = (path: Request['path']): Request =>
  remove(async (home) => `${await path(home)}/${await noteAt(home, path)}`);

/** Who may call the operations of notes. The columns and cells are described in permissions.suite.ts. */
export const permissions: Permissions = {
  prepare: async (home) => [await noteAt(home, ofAccount), await noteAt(home, ofUser)],
  matrix: `
                                  anon self other unlinked member owner susp closed platform admin expired revoked
    createAccountNote             401  403  403   403      403    403   403  401    403      201   401     401
    createAccountNote, absent     401  403  403   403      403    403   403  401    403      404   401     401
    createAccountNote, malformed  401  403  403   403      403    403   403  401    403      404   401     401
    listAccountNotes              401  403  403   403      403    403   403  401    403      200+  401     401
    listAccountNotes, absent      401  403  403   403      403    403   403  401    403      404   401     401
    listAccountNotes, malformed   401  403  403   403      403    403   403  401    403      404   401     401
    deleteAccountNote             401  403  403   403      403    403   403  401    403      200   401     401
    deleteAccountNote, absent     401  403  403   403      403    403   403  401    403      404   401     401
    deleteAccountNote, malformed  401  403  403   403      403    403   403  401    403      404   401     401
    createUserNote                401  403  403   403      403    403   403  401    403      201   401     401
    createUserNote, absent        401  403  403   403      403    403   403  401    403      404   401     401
    createUserNote, malformed     401  403  403   403      403    403   403  401    403      404   401     401
    listUserNotes                 401  403  403   403      403    403   403  401    403      200+  401     401
    listUserNotes, absent         401  403  403   403      403    403   403  401    403      404   401     401
    listUserNotes, malformed      401  403  403   403      403    403   403  401    403      404   401     401
    deleteUserNote                401  403  403   403      403    403   403  401    403      200   401     401
    deleteUserNote, absent        401  403  403   403      403    403   403  401    403      404   401     401
    deleteUserNote, malformed     401  403  403   403      403    403   403  401    403      404   401     401
  `,
  requests: {
    createAccountNote: post(ofAccount, aNote),
    'createAccountNote, absent': post(absentAccount, aNote),
    'createAccountNote, malformed': post(malformedAccount, aNote),
    listAccountNotes: listing(ofAccount),
    'listAccountNotes, absent': get(absentAccount),
    'listAccountNotes, malformed': get(malformedAccount),
    deleteAccountNote: removing(ofAccount),
    'deleteAccountNote, absent': remove((home) => `${ofAccount(home)}/${absent('note')}`),
    'deleteAccountNote, malformed': remove((home) => `${ofAccount(home)}/${MALFORMED}`),
    createUserNote: post(ofUser, aNote),
    'createUserNote, absent': post(absentUser, aNote),
    'createUserNote, malformed': post(malformedUser, aNote),
    listUserNotes: listing(ofUser),
    'listUserNotes, absent': get(absentUser),
    'listUserNotes, malformed': get(malformedUser),
    deleteUserNote: removing(ofUser),
    'deleteUserNote, absent': remove(async (home) => `${await ofUser(home)}/${absent('note')}`),
    'deleteUserNote, malformed': remove(async (home) => `${await ofUser(home)}/${MALFORMED}`),
  },
};
