import { Registry } from '../../src/kernel/registry';

interface Guest {
  readonly name: string;
}

const guest = (name: string): Guest => ({ name });
const aRegistry = () => new Registry<Guest>('Dinner', ['ada', 'grace']);

describe('A port that upper modules join', () => {
  it('calls its members in the declared order, whoever came first', () => {
    const dinner = aRegistry();
    dinner.join(guest('grace'));
    dinner.join(guest('ada'));
    dinner.freeze();
    expect(dinner.members.map(({ name }) => name)).toEqual(['ada', 'grace']);
    expect(dinner.get('grace')).toEqual({ name: 'grace' });
  });

  it('refuses who is not declared', () => {
    expect(() => aRegistry().join(guest('charles'))).toThrow('Dinner: "charles" is not a declared member.');
  });

  it('refuses who joins twice', () => {
    const dinner = aRegistry();
    dinner.join(guest('ada'));
    expect(() => dinner.join(guest('ada'))).toThrow('Dinner: "ada" joined twice.');
  });

  it('does not start without a declared member', () => {
    const dinner = aRegistry();
    dinner.join(guest('ada'));
    expect(() => dinner.freeze()).toThrow('Dinner: "grace" has not joined.');
    expect(() => dinner.members).toThrow('Dinner: "grace" has not joined.');
    expect(() => dinner.get('grace')).toThrow('Dinner: "grace" has not joined.');
  });

  it('refuses who comes after the start', () => {
    const dinner = aRegistry();
    dinner.join(guest('ada'));
    dinner.join(guest('grace'));
    dinner.freeze();
    expect(() => dinner.join(guest('ada'))).toThrow('Dinner: "ada" joined after the start.');
  });
});
