import { ApiProperty, OmitType } from '@nestjs/swagger';
import { ResponseField } from '../../../src/platform/http/response-fields';
import { CursorListResponse } from '../../../src/platform/http/response-fields';
import { ApiChange, responseChange } from '../../../src/platform/versions/api-change';
import { ApiVersions, asResponse, FIRST_VERSION } from '../../../src/platform/versions/api-versions';

class Address {
  @ResponseField() city: string;
}
class Person {
  @ResponseField() id: string;
  @ResponseField() name: string;
  @ApiProperty({ type: Address }) address: Address;
}
class PersonWithTitle extends Person {
  @ResponseField() title: string;
}
class People extends CursorListResponse(Person) {}
class Family {
  @ApiProperty({ type: [Person] }) members: Person[];
  @ApiProperty({ type: Person, required: false, description: 'Perhaps one.' }) head?: Person;
  @ResponseField({ type: 'object', additionalProperties: true }) notes: object;
}
class FoundResponse {
  @ResponseField({ type: 'object' }) object: object;
}

class PersonWithNames extends OmitType(Person, ['name']) {
  @ResponseField() first_name: string;
  @ResponseField() last_name: string;
}
class PersonWithNumber extends OmitType(PersonWithNames, ['id']) {
  @ResponseField({ type: 'integer' }) number: number;
}
class AddressAsText {
  @ResponseField() text: string;
}

const names: ApiChange = {
  version: '2027-03-01',
  description: 'One name.',
  responses: [
    responseChange({
      newer: Person,
      older: PersonWithNames,
      toOlder: ({ name, ...person }) => {
        const [first_name = '', last_name = ''] = name.split(' ');
        return { ...person, first_name, last_name };
      },
    }),
    responseChange({ newer: Address, older: AddressAsText, toOlder: ({ city }) => ({ text: city }) }),
  ],
};
const numbers: ApiChange = {
  version: '2027-01-01',
  description: 'Ids are strings.',
  responses: [
    responseChange({
      newer: PersonWithNames,
      older: PersonWithNumber,
      toOlder: ({ id, ...person }) => ({ ...person, number: Number(id.slice(2)) }),
    }),
  ],
};

const ada = { id: 'p_1', name: 'Ada Lovelace', address: { city: 'London' } };
const split = { id: 'p_1', first_name: 'Ada', last_name: 'Lovelace', address: { text: 'London' } };
const numbered = { number: 1, first_name: 'Ada', last_name: 'Lovelace', address: { text: 'London' } };

describe('The versions of an API', () => {
  const versions = new ApiVersions([numbers, names]);
  const at = (name: string) => versions.parse(name, 'version');

  it('are the dates of its changes, and the first one', () => {
    expect(versions.all.map(({ name }) => name)).toEqual(['2027-03-01', '2027-01-01', FIRST_VERSION]);
    expect(versions.newest.name).toBe('2027-03-01');
    expect(versions.all.map((version) => versions.describe(version))).toEqual([
      ['One name.'],
      ['Ids are strings.'],
      [],
    ]);
  });

  it('have the shape of their time, which all later changes lead to', () => {
    expect(versions.newest.convert(Person, ada)).toBe(ada);
    expect(at('2027-01-01').convert(Person, ada)).toEqual(split);
    expect(at(FIRST_VERSION).convert(Person, ada)).toEqual(numbered);
    expect(at(FIRST_VERSION).classOf(Person)).toBe(PersonWithNumber);
    expect(versions.newest.classOf(Person)).toBe(Person);
  });

  it('change a resource wherever a response has it, and nothing else', () => {
    const notes = { id: 'p_1', name: 'not a person', address: { city: 'nowhere' } };
    expect(at('2027-01-01').convert(Family, { members: [ada, ada], head: ada, notes })).toEqual({
      members: [split, split],
      head: split,
      notes,
    });
    const page = { object: 'list', data: [ada], has_more: false };
    expect(at('2027-01-01').convert(People, page)).toEqual({ ...page, data: [split] });
    expect(at('2027-01-01').convert(PersonWithTitle, { ...ada, title: 'Countess' })).toEqual({
      ...split,
      title: 'Countess',
    });
  });

  it('change a resource of any type, whose class is named where it is put into a response', () => {
    const found = { object: asResponse(Person, { ...ada }) };
    expect(at('2027-01-01').convert(FoundResponse, found)).toEqual({ object: split });
    expect(at('2027-01-01').convert(FoundResponse, { object: ada })).toEqual({ object: ada });
  });

  it('change what was stored only by the changes that came before', () => {
    const stored = { ...split, address: { text: 'London' } };
    const found = { object: asResponse(Person, stored, '2027-01-01') };
    expect(at(FIRST_VERSION).convert(FoundResponse, found)).toEqual({ object: numbered });
    expect(at('2027-01-01').convert(FoundResponse, found)).toEqual(found);
  });

  it('are rejected by a name that they do not have, which the message lists', () => {
    const message = `Countinghouse-Version must be one of: 2027-03-01, 2027-01-01, ${FIRST_VERSION}.`;
    for (const name of ['2027-02-01', '', 'newest'])
      expect(() => versions.parse(name, 'Countinghouse-Version')).toThrow(message);
  });

  it('apply as far as a service has them to what is pinned to another', () => {
    expect(versions.pinned(null)).toBe(versions.newest);
    expect(versions.pinned('2027-01-01')).toBe(at('2027-01-01'));
    expect(versions.pinned('2027-02-01').convert(Person, ada)).toEqual(split);
    expect(versions.pinned('2028-01-01').convert(Person, ada)).toEqual(ada);
  });

  it('are inherited by what a caller creates, unless it names one', () => {
    expect(versions.choosePin(undefined, { pinnedVersion: null })).toBe('2027-03-01');
    expect(versions.choosePin(undefined, { pinnedVersion: '2027-01-01' })).toBe('2027-01-01');
    expect(versions.choosePin(FIRST_VERSION, { pinnedVersion: '2027-01-01' })).toBe(FIRST_VERSION);
    expect(() => versions.choosePin('tomorrow', { pinnedVersion: null })).toThrow('version must be one of');
  });
});
