/** Page after page of a list of AWS. */

// A cluster's own resources fit into one or two pages; more than this is a paging loop.
const mostPages = 20;

/** By the input field for the token of the next page: the output field that holds it. */
const tokens = { NextToken: 'NextToken', Marker: 'NextMarker', PaginationToken: 'PaginationToken' } as const;
export type PageToken = keyof typeof tokens;

/**
 * Calls `ask` with what to add to the input, until a page names no next one. `contentOf`: what AWS
 * answered; undefined if the page could not be read.
 */
export function* pagesOf<Page>(
  ask: (next: Partial<Record<PageToken, string>>) => Page,
  contentOf: (page: Page) => object | undefined,
  field: PageToken = 'NextToken',
): Generator<Page> {
  let next: Partial<Record<PageToken, string>> = {};
  for (let count = 0; count < mostPages; count += 1) {
    const page = ask(next);
    yield page;
    const token = (contentOf(page) as Record<string, string> | undefined)?.[tokens[field]];
    if (!token) return;
    next = { [field]: token };
  }
}
