/** Reads objects, of which some may be unreadable. */
import { ApiError } from '../api/errors.ts';
import type { KubeObject } from '../api/object.ts';
import type { Item } from '../ports.ts';
import { objectOf } from './body.ts';
import type { StoreContext } from './context.ts';
import { lazy } from './lazy.ts';
import type { Unreadable } from './store.ts';

/** A busy table says nothing about an object. */
const isBusy = (error: unknown): boolean => error instanceof ApiError;

const unreadable = (type: string, item: Item, error: unknown): Unreadable => {
  const { namespace, name, uid } = item as unknown as Omit<Unreadable, 'type' | 'error'>;
  return { type, namespace, name, uid, error };
};

/**
 * The objects of items of a type. `skip` receives the unreadable ones, whose places are undefined; without it
 * they fail the read together.
 */
export const objectsOf = async (
  context: StoreContext,
  type: string,
  items: readonly Item[],
  skip?: (one: Unreadable) => void,
): Promise<(KubeObject | undefined)[]> => {
  const failed: Unreadable[] = [];
  const read = items.map((item) => {
    const object = objectOf(context, type, item);
    if (!(object instanceof Promise)) return object;
    return object.catch((error: unknown) => {
      if (isBusy(error)) throw error;
      failed.push(unreadable(type, item, error));
      return undefined;
    });
  });
  const objects = await Promise.all(read);
  if (failed.length === 0) return objects;
  if (!skip) throw (await lazy.unreadable()).readError(failed);
  for (const one of failed) skip(one);
  return objects;
};

/** The object of one item; synchronous when it was decoded recently. */
export const readObject = (context: StoreContext, type: string, item: Item): KubeObject | Promise<KubeObject> => {
  const object = objectOf(context, type, item);
  if (!(object instanceof Promise)) return object;
  return object.catch(async (error: unknown) => {
    throw isBusy(error) ? error : (await lazy.unreadable()).readError([unreadable(type, item, error)]);
  });
};

/** For callers to whom an object that cannot be read is one that proves nothing. */
export const unlessUnreadable = async <T>(read: T | Promise<T>): Promise<T | 'unreadable'> => {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'StorageReadError') return 'unreadable';
    throw error;
  }
};
