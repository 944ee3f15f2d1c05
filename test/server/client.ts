/** A client of a test server, as an API client behaves. */

import type { JsonObject, KubeObject, ObjectMeta } from '../../machinery/api/object.ts';
import type { ApiServer } from '../../machinery/server/index.ts';
import { token } from './world.ts';

/** Objects, lists, tables and Statuses alike: a missing field fails the expectation that reads it. */
export interface Body {
  metadata: ObjectMeta & { continue?: string; remainingItemCount?: number };
  spec: JsonObject;
  status: unknown;
  data: Record<string, string>;
  items: KubeObject[];
  message: string;
  reason: string;
  code: number;
  details: { causes: { field: string; message: string; reason: string }[] };
  rows: { cells: unknown[] }[];
  columnDefinitions: unknown[] | null;
}

export interface Answer {
  status: number;
  headers: Headers;
  body: Body;
  text: string;
}

export interface WatchEvent {
  type: string;
  object: Body;
}

export const types = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const;

export const clientOf = (server: ApiServer, authorization: string | undefined = `Bearer ${token}`) => {
  const requestOf = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ) =>
    new Request(`https://server${path}`, {
      method,
      headers: {
        ...(authorization && { authorization }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && {
        body: body instanceof Uint8Array || typeof body === 'string' ? body : JSON.stringify(body),
      }),
      ...(signal && { signal }),
    });
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer> => {
    const response = await server.fetch(requestOf(method, path, body, headers));
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return {
      status: response.status,
      headers: response.headers,
      body: (isJson && text ? JSON.parse(text) : {}) as Body,
      text,
    };
  };

  /** A watch that runs until it is stopped; `next` waits for the next event. */
  const watch = async (path: string, headers: Record<string, string> = {}) => {
    const stopping = new AbortController();
    const response = await server.fetch(requestOf('GET', path, undefined, headers, stopping.signal));
    const lines = linesOf(response);
    return {
      status: response.status,
      /** Undefined once the server has ended the watch. */
      next: async (): Promise<WatchEvent | undefined> => {
        const { value, done } = await lines.next();
        return done ? undefined : (JSON.parse(value) as WatchEvent);
      },
      stop: () => stopping.abort(),
    };
  };
  return {
    get: (path: string, headers?: Record<string, string>) => send('GET', path, undefined, headers),
    post: (path: string, body: unknown, headers?: Record<string, string>) => send('POST', path, body, headers),
    put: (path: string, body: unknown) => send('PUT', path, body),
    patch: (path: string, type: keyof typeof types, body: unknown) =>
      send('PATCH', path, body, { 'content-type': types[type] }),
    /** Server-side apply; `path` names the manager. */
    apply: (path: string, config: unknown) =>
      send('PATCH', path, config, { 'content-type': 'application/apply-patch+yaml' }),
    delete: (path: string, body?: unknown) => send('DELETE', path, body),
    send,
    watch,
  };
};

async function* linesOf(response: Response): AsyncGenerator<string, undefined> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body!) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop()!;
    yield* parts;
  }
  return undefined;
}

export type Client = ReturnType<typeof clientOf>;

export const widgets = '/apis/example.com/v1/namespaces/default/widgets';
export const configMaps = '/api/v1/namespaces/default/configmaps';
export const widget = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, ...metadata },
  spec,
});
export const configMap = (name: string, data: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});
