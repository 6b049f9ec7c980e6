import { ServiceModule } from '../../../src/platform/service-module';
import { execute } from '../../../src/service/command-line';
import { defineService } from '../../../src/service/define-service';
import { createDatabase, dropDatabase } from '../../support/databases';
import { aTerminal } from '../../support/terminal';
import { mandates } from './mandates';

const REMEDY =
  'Add the migration that creates it to the migrations of its module: "countinghouse migrations check" prints what is missing.';
const NO_TABLE = 'The table "mandates" of the entity Mandate does not exist, and no migration is pending.';

describe('An extension with a wrong declaration', () => {
  let name: string;
  let url: string;

  beforeEach(async () => {
    ({ name, url } = await createDatabase());
  });
  afterEach(() => dropDatabase(name));

  async function run(declared: Partial<ServiceModule>, ...args: string[]) {
    const terminal = aTerminal({
      DATABASE_URL: url,
      JWT_SECRETS: 'a secret of the command that signs nothing',
    });
    const service = defineService({ extensions: [{ ...mandates, ...declared }] });
    return { code: await execute(() => service, args, terminal), out: terminal.out, err: terminal.err };
  }

  it.each<[string, Partial<ServiceModule>, string]>([
    ['its migration', { migrations: [] }, `${NO_TABLE} ${REMEDY}`],
    [
      'its id prefix',
      { idPrefixes: [] },
      'The id prefix "mand" of Mandates is declared by no module. Add it to the idPrefixes of one.',
    ],
    [
      'its entity',
      { entities: [] },
      'The entity schema "Mandate" is declared by no module. Add it to the entities of one.',
    ],
    [
      'its scopes',
      { scopes: [], events: [] },
      'The scope "mandates:write" of the operation MandatesController.create is declared by no module. Add it to the scopes of one.',
    ],
  ])('without %s is told in one line what to add', async (_, declared, line) => {
    expect(await run(declared, 'ledger', 'verify')).toEqual({
      code: 1,
      out: '',
      err: `The journal cannot be verified. ${line}\n`,
    });
  });

  it('works once it is complete', async () => {
    expect((await run({}, 'ledger', 'verify')).code).toBe(0);
  });

  it('without its migration is a fault for the doctor, and with it none', async () => {
    const findings = async (declared: Partial<ServiceModule>): Promise<object[]> => {
      await run(declared, 'migrate');
      const { out } = await run(declared, 'doctor', '--json');
      const { findings: all } = JSON.parse(out) as { findings: { check: string; status: string }[] };
      return all.filter(({ check, status }) => check === 'migrations' && status !== 'ok');
    };
    expect(await findings({ migrations: [] })).toEqual([
      { check: 'migrations', status: 'error', message: NO_TABLE, remedy: REMEDY },
    ]);
    expect(await findings({})).toEqual([]);
  });
});
