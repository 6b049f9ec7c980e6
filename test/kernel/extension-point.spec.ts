import { ExtensionPoint } from '../../src/kernel/extension-point';

interface Check {
  readonly name: string;
}

const check = (name: string): Check => ({ name });
class Checks extends ExtensionPoint<Check> {}
const newExtensionPoint = () => new Checks(['credit', 'fraud']);

describe('ExtensionPoint', () => {
  it('orders required members as declared, then the others by registration', () => {
    const checks = newExtensionPoint();
    for (const name of ['audit', 'fraud', 'credit', 'limits']) checks.register(check(name));
    checks.onApplicationBootstrap();
    expect(checks.members.map(({ name }) => name)).toEqual(['credit', 'fraud', 'audit', 'limits']);
    expect(checks.get('fraud')).toEqual({ name: 'fraud' });
  });

  it('needs no members unless it says so', () => {
    const checks = new Checks();
    checks.onApplicationBootstrap();
    expect(checks.members).toEqual([]);
  });

  it('rejects a second member with the same name', () => {
    const checks = newExtensionPoint();
    checks.register(check('credit'));
    expect(() => checks.register(check('credit'))).toThrow('Checks: "credit" is registered twice.');
  });

  it('rejects a missing required member', () => {
    const checks = newExtensionPoint();
    checks.register(check('credit'));
    expect(() => checks.onApplicationBootstrap()).toThrow('Checks: "fraud" is not registered.');
    expect(() => checks.members).toThrow('Checks: "fraud" is not registered.');
    expect(() => checks.get('fraud')).toThrow('Checks: "fraud" is not registered.');
  });

  it('rejects registration after it is frozen', () => {
    const checks = newExtensionPoint();
    checks.register(check('credit'));
    checks.register(check('fraud'));
    checks.onApplicationBootstrap();
    expect(() => checks.register(check('credit'))).toThrow('Checks: "credit" is registered too late');
  });
});
