import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { Button } from 'react-aria-components/Button';
import { Link, useLocation } from 'wouter';
import { REFRESH_MS } from '../api/client';
import { useFormats } from '../i18n/formats';
import { format, useMessages } from '../i18n/i18n';
import { Icon } from './icons';
import { type SortKey, useColumnOrder } from './list-order';
import { Failure, Loading } from './states';

/** `time` is a date with a time, `word` a single word, `text` more of them, and `action` a button. */
type Kind = 'amount' | 'status' | 'date' | 'time' | 'number' | 'email' | 'name' | 'word' | 'text' | 'action';

export interface Column<T> {
  readonly name: string;
  readonly header: string;
  readonly cell: (item: T) => ReactNode;
  /** What is in it, which says how wide it is (styles/parts.css). The others share what is left. */
  readonly kind?: Kind;
  /** Shows all of what is long, on as many lines as it takes. Others show two lines, and narrow screens everything. */
  readonly wraps?: boolean;
  /** Narrow screens leave it out. */
  readonly isMinor?: boolean;
  /** By what its heading sorts the list, in its address (`useListOrder`). */
  readonly sort?: SortKey;
}

interface ListPage<T> {
  readonly items: readonly T[];
  /** Where the next page starts; null after the last one. */
  readonly next: string | null;
}

export type LoadPage<T> = (start: string | null, signal: AbortSignal) => Promise<ListPage<T>>;

/** What is listed. */
export interface ListSource<T> {
  /** Identifies the list and its filters. */
  readonly queryKey: readonly unknown[];
  readonly load: LoadPage<T>;
}

interface ResourceListProps<T> extends ListSource<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly keyOf: (item: T) => string;
  /** The page of an item; its first cell is the link. */
  readonly linkOf?: (item: T) => string | null;
  /** What tells an item best, of what narrow screens leave out. They show it beneath the first cell. */
  readonly secondOf?: (item: T) => ReactNode;
  readonly hasFilters?: boolean;
}

const ROW_PX = 45;

/** Reads a list page by page, once for all that show it. It is read again now and then, while only its first page is there. */
export function useListPages<T>({ queryKey, load }: ListSource<T>) {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => load(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? REFRESH_MS : false),
  });
}

/**
 * A list of any length: pages are read as one scrolls, and only the rows on the screen are in the document. While more than
 * its first page is there, it says how many rows are newer.
 */
export function ResourceList<T>({
  label,
  queryKey,
  load,
  hasFilters = false,
  ...table
}: ResourceListProps<T>) {
  const { list } = useMessages();
  const { number } = useFormats();
  const query = useListPages({ queryKey, load });
  const newer = useNewer(query.data?.pages ?? [], queryKey, load, table.keyOf);
  const queries = useQueryClient();
  const showNewer = (): void => {
    scrollTo(0, 0);
    void queries.resetQueries({ queryKey });
  };
  if (query.isPending) return <Loading />;
  if (query.data === undefined) return <Failure error={query.error} retry={() => void query.refetch()} />;
  const items = query.data.pages.flatMap((page) => page.items);
  if (items.length === 0) return <p className="note soft">{hasFilters ? list.noMatch : list.empty}</p>;
  return (
    <>
      <div className="newer" role="status">
        {newer > 0 && (
          <Button className="primary" onPress={showNewer}>
            {format(list.newer, { count: number(newer) })}
          </Button>
        )}
      </div>
      <Rows
        label={label}
        items={items}
        hasMore={query.hasNextPage}
        loadMore={() => void (query.isFetching || query.fetchNextPage())}
        {...table}
      />
    </>
  );
}

/** How many items are before the first one of a list that is not read again, because more of it is there than a page. */
function useNewer<T>(
  pages: readonly ListPage<T>[],
  queryKey: readonly unknown[],
  load: LoadPage<T>,
  keyOf: (item: T) => string,
): number {
  const { data } = useQuery({
    queryKey: [...queryKey, 'newest'],
    queryFn: ({ signal }) => load(null, signal),
    enabled: pages.length > 1,
    refetchInterval: REFRESH_MS,
  });
  const known = new Set(pages[0]?.items.map(keyOf));
  if (data === undefined || known.size === 0) return 0;
  const index = data.items.findIndex((item) => known.has(keyOf(item)));
  return index === -1 ? data.items.length : index;
}

interface RowsProps<T> extends Pick<
  ResourceListProps<T>,
  'label' | 'columns' | 'keyOf' | 'linkOf' | 'secondOf'
> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
  readonly loadMore: () => void;
}

function Rows<T>({
  label,
  items,
  hasMore,
  loadMore,
  columns,
  keyOf,
  linkOf = () => null,
  secondOf,
}: RowsProps<T>) {
  const { list } = useMessages();
  const [, navigate] = useLocation();
  const body = useRef<HTMLTableSectionElement>(null);
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => ROW_PX,
    overscan: 12,
    scrollMargin: body.current?.offsetTop ?? 0,
    getItemKey: (index) => keyOf(items[index]!),
  });
  const visible = rows.getVirtualItems();
  const [first, last] = [visible.at(0), visible.at(-1)];
  const isNearEnd = hasMore && last !== undefined && last.index >= items.length - 15;
  useEffect(() => {
    if (isNearEnd) loadMore();
  });
  const before = first ? first.start - rows.options.scrollMargin : 0;
  const after = last ? rows.getTotalSize() - (last.end - rows.options.scrollMargin) : 0;
  return (
    <>
      <table className="list" aria-label={label} aria-rowcount={hasMore ? -1 : items.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ name, header, kind, sort, ...column }) =>
              sort ? (
                <SortHeader key={name} header={header} kind={kind} sort={sort} className={classOf(column)} />
              ) : (
                <th key={name} scope="col" data-kind={kind} className={classOf(column)}>
                  {header}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody ref={body} onKeyDown={moveBetweenRows}>
          {before > 0 && <Gap height={before} />}
          {visible.map(({ index, key }) => {
            const item = items[index]!;
            const link = linkOf(item);
            return (
              <tr
                key={key}
                ref={rows.measureElement} // narrow screens wrap what is long
                data-index={index}
                aria-rowindex={index + 2}
                className={link === null ? undefined : 'opens'}
                onClick={({ target }) => {
                  const isControl = (target as Element).closest('a, button') !== null;
                  if (link !== null && !isControl && getSelection()?.isCollapsed !== false) navigate(link);
                }}
              >
                {columns.map(({ name, cell, kind, ...column }, place) => {
                  const content = cell(item);
                  const title = typeof content === 'string' ? content : undefined;
                  return (
                    <td key={name} data-kind={kind} className={classOf(column)}>
                      <div className="content" title={title}>
                        {place === 0 && link !== null ? <Link href={link}>{content}</Link> : content}
                      </div>
                      {place === 0 && secondOf && <div className="second">{secondOf(item)}</div>}
                    </td>
                  );
                })}
              </tr>
            );
          })}
          {after > 0 && <Gap height={after} />}
        </tbody>
      </table>
      <p className="soft list-end">{hasMore ? list.more : list.end}</p>
    </>
  );
}

interface SortHeaderProps {
  readonly header: string;
  readonly kind: Kind | undefined;
  readonly sort: SortKey;
  readonly className: string | undefined;
}

/** A heading that sorts the list, or turns its order around. */
function SortHeader({ header, kind, sort, className }: SortHeaderProps) {
  const { direction, turn } = useColumnOrder(sort);
  return (
    <th scope="col" data-kind={kind} className={className} aria-sort={direction}>
      <Button className="order" onPress={turn}>
        {header}
        <Icon name={direction === 'ascending' ? 'up' : 'down'} />
      </Button>
    </th>
  );
}

/** The height of the rows that are not in the document. It spans no columns: a narrow screen leaves some out. */
function Gap({ height }: { readonly height: number }) {
  return (
    <tr aria-hidden="true" style={{ height }}>
      <td />
    </tr>
  );
}

function classOf({ wraps, isMinor }: Pick<Column<never>, 'wraps' | 'isMinor'>) {
  return [wraps && 'wraps', isMinor && 'minor'].filter(Boolean).join(' ') || undefined;
}

/** The arrow keys move between the links of the rows. */
function moveBetweenRows(event: KeyboardEvent<HTMLElement>): void {
  const step = {
    ArrowDown: 'nextElementSibling',
    ArrowUp: 'previousElementSibling',
  } as const;
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const row = (event.target as Element).closest('tr')?.[step[event.key]];
  const link = row?.querySelector('a');
  if (!link) return;
  event.preventDefault();
  link.focus();
  row?.scrollIntoView({ block: 'nearest' });
}
