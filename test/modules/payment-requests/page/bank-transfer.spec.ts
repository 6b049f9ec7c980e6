import { epcPayload, groupIban } from '../../../../src/modules/payment-requests/page/bank-transfer.view';

describe('A bank transfer', () => {
  const bank = { payee: 'Red Cross of Belgium', iban: 'BE72000000001616', bic: null };

  it('has a QR code with the eleven lines of EPC069-12', () => {
    expect(epcPayload(bank, 100, 'ABCDE-12345')).toBe(
      'BCD\n002\n1\nSCT\n\nRed Cross of Belgium\nBE72000000001616\nEUR1.00\n\n\nABCDE-12345',
    );
    expect(
      epcPayload({ ...bank, bic: 'BPOTBEB1' }, 5, 'R')!
        .split('\n')
        .slice(4, 8),
    ).toEqual(['BPOTBEB1', 'Red Cross of Belgium', 'BE72000000001616', 'EUR0.05']);
  });

  it('shortens the payee name to one line of at most 70 characters', () => {
    const lines = epcPayload({ ...bank, payee: `A\nEUR0.01\r\n${'é'.repeat(100)}` }, 100, 'R')!.split('\n');
    expect(lines).toHaveLength(11);
    expect([...lines[5]!]).toHaveLength(70);
    expect(lines[7]).toBe('EUR1.00');
  });

  it('has a QR code up to the largest amount of the scheme', () => {
    expect(epcPayload(bank, 99_999_999_999, 'R')).toContain('EUR999999999.99');
    expect(epcPayload(bank, 100_000_000_000, 'R')).toBeNull();
  });

  it('shows its IBAN in groups of four', () => {
    expect(groupIban('DE71110220330123456789')).toBe('DE71 1102 2033 0123 4567 89');
  });
});
