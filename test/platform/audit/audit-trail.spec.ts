import { changesBetween } from '../../../src/platform/audit/audit-trail';

describe('The changes between objects', () => {
  it.each(['constructor', 'toString', '__proto__'])('have no inherited %s', (name) => {
    const [without, having] = [{}, JSON.parse(`{"${name}":"x"}`)];
    const [member, metadata] = [`metadata.${name}`, (value: object) => ({ metadata: value })];
    expect(changesBetween(metadata(without), metadata(having))).toEqual([{ member, from: null, to: 'x' }]);
    expect(changesBetween(metadata(having), metadata(without))).toEqual([{ member, from: 'x', to: null }]);
  });
});
