/**
 * How much a template may make of what it is given: the author of one must not occupy the program
 * that reads all of them. Pure.
 */
import { TemplateError, type Value } from './value.ts';

/** In characters and items: far more than 16 KiB of user data need. */
const most = 5_000_000;

export const tooMuch = (): TemplateError => new TemplateError('unsupported', 'the template makes too much work');

/** Counts no further than `most`: lists may hold each other many times. */
export const sizeOf = (value: Value): number => {
  let size = 0;
  const count = (one: Value): void => {
    size += typeof one === 'string' ? one.length + 1 : 1;
    if (typeof one !== 'object' || one === null) return;
    for (const item of Array.isArray(one) ? one : Object.entries(one).flat()) {
      if (size > most) return;
      count(item);
    }
  };
  count(value);
  return size;
};

/** What is left of it during one rendering. */
export class Work {
  private left = most;

  /** Throws a TemplateError if it is more than is left. */
  spend(amount: number): void {
    this.left -= amount;
    if (!(this.left >= 0)) throw tooMuch();
  }
}
