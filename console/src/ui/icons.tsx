const paths = {
  search: 'M11 11l3.5 3.5M12.5 7.25a5.25 5.25 0 1 1-10.5 0 5.25 5.25 0 0 1 10.5 0Z',
  menu: 'M2 4h12M2 8h12M2 12h12',
  copy: 'M6 5.5h7.5V14H6zM3.5 10.5H2.5V2H10v1.5',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  download: 'M8 2v8.5M4.5 7.5L8 11l3.5-3.5M2.5 14h11',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  back: 'M9.5 3.5L5 8l4.5 4.5',
  down: 'M3.5 6L8 10.5 12.5 6',
  up: 'M3.5 10.5L8 6l4.5 4.5',
  person: 'M8 8.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.5 14.5c.5-2.5 2.5-4 5.5-4s5 1.5 5.5 4',
} as const;

/** A picture beside a text, which says the same. */
export function Icon({ name }: { readonly name: keyof typeof paths }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
