import { setImmediate } from 'node:timers/promises';
import type { Statement } from '../../domain/statement';
import { Canvas } from './canvas';
import { firstTable, laterTable } from './layout';
import { StatementPages } from './statement-pages';
import type { Row } from './statement-rows';
import { rowsOf } from './statement-rows';

/**
 * Writes a statement for people, page by page. All of it but the name of the account comes from the journal, and the time
 * of the file's creation is the end of the period, so the file is the same whenever it is asked for.
 */
export async function* writePdf(statement: Statement): AsyncIterable<Uint8Array> {
  const { accountId, period } = statement;
  const title = `Account statement ${period.name} of ${accountId}`;
  const canvas = await Canvas.open({ title, createdAt: period.end });
  const pages = new StatementPages(canvas, statement);
  for await (const rows of rowsByPage(rowsOf(statement))) {
    pages.add(rows);
    yield canvas.take();
    await setImmediate(); // a page takes some milliseconds, and other requests wait
  }
  yield canvas.end();
}

async function* rowsByPage(batches: AsyncIterable<readonly Row[]>): AsyncIterable<readonly Row[]> {
  let page: Row[] = [];
  let capacity = firstTable.rows;
  for await (const batch of batches) {
    for (const row of batch) {
      if (page.length === capacity) {
        yield page;
        page = [];
        capacity = laterTable.rows;
      }
      page.push(row);
    }
  }
  yield page;
}
