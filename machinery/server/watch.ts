/** Watches: one JSON event a line, from a position on. */
import { ApiError, expired } from '../api/errors.ts';
import { apiVersionOf } from '../api/kind.ts';
import { type KubeObject, keyOf } from '../api/object.ts';
import type { Change } from '../store/store.ts';
import { formOf, headersOf, metaApiVersion, shown, warnOfVersion } from './answer.ts';
import { type Call, storeOf } from './call.ts';
import type { Form } from './negotiate.ts';
import {
  checkListOptions,
  flagOf,
  numberOf,
  type Selection,
  selectionOf,
  tooLargeVersion,
  versionOf,
} from './selection.ts';
import { failure } from './status.ts';

const keepalive = 30_000;
const bookmarks = 60_000;
/** Seconds; in between is drawn when the client names no end, so that watches do not all come back at once. */
const longest = [1800, 3600] as const;

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** Turns changes of everything into changes of what is selected. */
const transitions = (
  selection: Selection,
  isInScope: (object: KubeObject) => boolean,
  initial: KubeObject[] | undefined,
) => {
  // Labels before a change are in the log; other fields are not, so what was last seen is remembered.
  const remembered = new Map<string, boolean>();
  const remembers = !selection.fields.constant;
  const identity = ({ metadata }: KubeObject) => keyOf(metadata);
  if (remembers) for (const object of initial ?? []) remembered.set(identity(object), selection.fields.matches(object));

  return (change: Change): EventType | undefined => {
    const { object, type } = change;
    if (!isInScope(object)) return undefined;
    const fieldsNow = selection.fields.matches(object);
    // Unknown counts as selected: a deletion too many is harmless, one too few leaves a ghost.
    const fieldsBefore = remembers ? (remembered.get(identity(object)) ?? true) : fieldsNow;
    if (remembers) {
      if (type === 'DELETED') remembered.delete(identity(object));
      else remembered.set(identity(object), fieldsNow);
    }
    const now = fieldsNow && selection.labels(object.metadata.labels);
    const before = fieldsBefore && selection.labels(change.previousLabels ?? object.metadata.labels);
    switch (type) {
      case 'ADDED':
        return now ? 'ADDED' : undefined;
      case 'DELETED':
        return before || now ? 'DELETED' : undefined;
      case 'MODIFIED':
        if (now) return before ? 'MODIFIED' : 'ADDED';
        return before ? 'DELETED' : undefined;
    }
  };
};

/** Lines of a response body. Writing after the end is ignored. */
const lineStream = (onCancel: () => void) => {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const encoder = new TextEncoder();
  let resume: (() => void) | undefined;
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (started) => {
        controller = started;
      },
      pull: () => resume?.(),
      cancel: () => {
        controller = undefined;
        resume?.();
        onCancel();
      },
    },
    { highWaterMark: 64 },
  );
  return {
    stream,
    write: (line: string): void => controller?.enqueue(encoder.encode(`${line}\n`)),
    /** Resolves when the reader has room for more. */
    ready: (): Promise<void> => {
      if (!controller || (controller.desiredSize ?? 0) > 0) return Promise.resolve();
      return new Promise((resolve) => {
        resume = resolve;
      });
    },
    end: (): void => {
      controller?.close();
      controller = undefined;
    },
  };
};

const isExpired = (error: unknown): boolean => error instanceof ApiError && error.code === 410;

interface Start {
  initial: KubeObject[];
  /** What was there when the watch began; for selectors on fields that change. */
  known: KubeObject[] | undefined;
  position: number;
}

const startOf = async (call: Call, selection: Selection): Promise<Start> => {
  const { resource, path } = call;
  const store = storeOf(call);
  const asked = versionOf(call.query);
  const scope = path.namespace ? { namespace: path.namespace } : {};
  if (!asked) {
    const { objects, position } = await store.list(resource.type, scope);
    return { initial: objects.filter(selection.matches), known: objects, position };
  }
  const current = await store.position(resource.type);
  if (asked > current) throw tooLargeVersion(asked, current);
  if (selection.fields.constant) return { initial: [], known: undefined, position: asked };
  const { objects } = await store.list(resource.type, scope);
  const unchanged = objects.filter(({ metadata }) => Number(metadata.resourceVersion) <= asked);
  return { initial: [], known: unchanged, position: asked };
};

/** A started watch: the first line decides between a stream and a plain refusal. */
export const watch = async (call: Call): Promise<Response> => {
  const form = formOf(call);
  const { resource, query, path, server } = call;
  checkListOptions(query, true);
  const selection = selectionOf(call);
  const { initial, known, position } = await startOf(call, selection);
  const seconds = numberOf(query, 'timeoutSeconds');
  const [least, most] = longest;
  const lasts = seconds && seconds > 0 ? seconds : least + server.random.next() * (most - least);

  const ending = new AbortController();
  const end = () => ending.abort();
  call.request.signal.addEventListener('abort', end, { once: true });
  const lines = lineStream(end);
  const eventOf = transitions(
    selection,
    ({ metadata }) => !path.namespace || metadata.namespace === path.namespace,
    known,
  );

  let columnsSent = false;
  const send = (type: string, object: unknown) => lines.write(JSON.stringify({ type, object }));
  const sendObject = (type: EventType, stored: KubeObject) => {
    const body = shown(call, stored, form) as Record<string, unknown>;
    if (form.as === 'Table') {
      // Columns are told once.
      if (columnsSent) body.columnDefinitions = null;
      columnsSent = true;
    }
    send(type, body);
  };
  const sendBookmark = (at: number) => send('BOOKMARK', bookmarkOf(call, form, at));

  const tooOld = async (from: number) =>
    expired(`too old resource version: ${from} (${await store.position(resource.type)})`);

  const run = async () => {
    let at = position;
    const wantsBookmarks = flagOf(query, 'allowWatchBookmarks');
    const started = server.clock.now();
    let told = started;
    const tick = () => {
      if (wantsBookmarks && server.clock.now() - told >= bookmarks) {
        told = server.clock.now();
        sendBookmark(at);
      } else lines.write('');
      cancelTick = server.clock.after(keepalive, tick);
    };
    let cancelTick = server.clock.after(keepalive, tick);
    const cancelEnd = server.clock.after(lasts * 1000, () => {
      if (wantsBookmarks) sendBookmark(at);
      end();
    });
    try {
      for (const object of initial) sendObject('ADDED', object);
      for await (const change of store.watch(resource.type, position, ending.signal)) {
        at = change.position;
        if (change.type === 'BOOKMARK') continue;
        const type = eventOf(change);
        if (type) sendObject(type, change.object);
        await lines.ready();
        if (ending.signal.aborted) break;
      }
    } catch (error) {
      if (!ending.signal.aborted) send('ERROR', failure(isExpired(error) ? await tooOld(position) : error));
    } finally {
      cancelTick();
      cancelEnd();
      call.request.signal.removeEventListener('abort', end);
      end();
      lines.end();
    }
  };
  const store = storeOf(call);
  void run();
  warnOfVersion(call);
  return new Response(lines.stream, { status: 200, headers: headersOf(call, 'application/json') });
};

const bookmarkOf = ({ resource, version }: Call, form: Form, position: number): unknown => {
  const metadata = { resourceVersion: String(position), creationTimestamp: null };
  switch (form.as) {
    case 'Table':
      return {
        kind: 'Table',
        apiVersion: metaApiVersion(form),
        metadata: { resourceVersion: String(position) },
        columnDefinitions: null,
        rows: [],
      };
    case 'PartialObjectMetadata':
    case 'PartialObjectMetadataList':
      return { kind: 'PartialObjectMetadata', apiVersion: metaApiVersion(form), metadata };
    default:
      return { kind: resource.kind.kind, apiVersion: apiVersionOf(resource.kind.group, version.name), metadata };
  }
};
