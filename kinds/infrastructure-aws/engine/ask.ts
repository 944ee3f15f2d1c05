/**
 * Reads many things from the cloud at once, and reports which reads are still missing or failed.
 */
import type { Read, Reader } from '../../../machinery/api/reconcile.ts';
import type { CloudAction, CloudInput, CloudOutput, Filter } from '../../ports/cloud/index.ts';
import { askCloud } from '../../ports/index.ts';
import { type Listed, type ListName, lists } from '../../ports/lists.ts';
import { type PageToken, pagesOf } from './pages.ts';

export interface Asking {
  ask<A extends CloudAction>(action: A, input: CloudInput<A>): CloudOutput<A> | undefined;
  /**
   * All pages of a describe call; undefined while a page is unread. `next` is the input field for
   * the page token.
   */
  all<A extends CloudAction, T>(
    action: A,
    input: CloudInput<A>,
    items: (page: CloudOutput<A>) => T[],
    next?: PageToken,
  ): T[] | undefined;
  /** Whether a read is still to be made. */
  unread(): boolean;
  /** Why a read failed; undefined when none failed. */
  unreadable(): string | undefined;
}

export const asking = (read: Reader, region: string): Asking => {
  let unread = false;
  let reason: string | undefined;
  const value = <T>(action: string, answer: Read<T>): T | undefined => {
    switch (answer.state) {
      case 'found':
        return answer.value;
      case 'absent':
        return undefined;
      case 'unread':
        unread = true;
        return undefined;
      case 'unreadable':
        reason ??= `${action}: ${answer.reason}`;
        return undefined;
      default:
        return answer satisfies never;
    }
  };
  const ask: Asking['ask'] = (action, input) => value(action, askCloud(read, region, action, input));
  return {
    ask,
    all: (action, input, items, next) => {
      const found = [];
      const pages = pagesOf(
        (more) => ask(action, { ...input, ...more }),
        (page) => page,
        next,
      );
      for (const page of pages) {
        if (!page) return undefined;
        found.push(...items(page));
      }
      return found;
    },
    unread: () => unread,
    unreadable: () => reason,
  };
};

/** Every resource of a list that passes the filters; undefined while a page is unread. */
export const listed = <N extends ListName>(cloud: Asking, name: N, filters: Filter[]): Listed[N] | undefined => {
  const { action, filtered, pageSize, next, items } = lists[name];
  const input = { ...filtered(filters), ...(pageSize && { MaxResults: pageSize }) } as CloudInput<typeof action>;
  return cloud.all<CloudAction, unknown>(action, input, items, next[0]) as Listed[N] | undefined;
};
