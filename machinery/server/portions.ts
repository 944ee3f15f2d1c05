/** Streams long lists page by page, so that a process holds only one page in memory. */
import { headersOf } from './answer.ts';
import type { Call } from './call.ts';

/** A list response with its objects last: as `items`, or as the `rows` of a Table. */
export interface ListBody {
  items?: readonly unknown[];
  rows?: readonly unknown[];
}

export interface Portion {
  body: ListBody;
  /** The token of the next page; absent on the last page. */
  continue: string | undefined;
}

const elementsOf = ({ items = [], rows = items }: ListBody): string => JSON.stringify(rows).slice(1, -1);
/** The list's text up to its first element. */
const headOf = (body: ListBody): string => {
  const empty = JSON.stringify({ ...body, ...(body.rows ? { rows: [] } : { items: [] }) });
  return empty.slice(0, -2);
};

/**
 * Streams the first page and all that follow as one list. Aborts the response when a page cannot be
 * read.
 */
export const respondInPortions = (call: Call, first: Portion, read: (token: string) => Promise<Portion>): Response => {
  const encoder = new TextEncoder();
  let next = first.continue;
  // A page may be empty when few objects are selected.
  let isFirst = true;
  const written = (portion: ListBody): string => {
    const elements = elementsOf(portion);
    const text = elements && !isFirst ? `,${elements}` : elements;
    isFirst &&= elements === '';
    return text;
  };
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(headOf(first.body) + written(first.body))),
    pull: async (controller) => {
      if (next === undefined) {
        controller.enqueue(encoder.encode(']}\n'));
        controller.close();
        return;
      }
      const portion = await read(next);
      next = portion.continue;
      controller.enqueue(encoder.encode(written(portion.body)));
    },
  });
  return new Response(body, { status: 200, headers: headersOf(call, 'application/json') });
};
