/** Watches: one JSON event per line, from a position on. */
import { ApiError, expired } from '../api/errors.ts';
import { apiVersionOf, type KindVersion } from '../api/kind.ts';
import { type KubeObject, keyOf } from '../api/object.ts';
import { known } from '../custom/lookup.ts';
import type { Cancel, Clock } from '../ports.ts';
import type { Change } from '../store/store.ts';
import { headersOf, shown, streamedFormOf, warnOfVersion } from './answer.ts';
import { forbidding } from './authorize.ts';
import { type Call, storeOf } from './call.ts';
import { prepareShown } from './convert.ts';
import { metaApiVersion } from './meta.ts';
import type { Form } from './negotiate.ts';
import {
  checkWatchOptions,
  flagOf,
  numberOf,
  type Selection,
  selectionOf,
  tooLargeVersion,
  versionOf,
} from './selection.ts';
import { failure } from './status.ts';

const bookmarks = 60_000;
/** Milliseconds after which a watch ends whose user has lost the right to it. */
const rightsChecked = 5000;
/**
 * Seconds. Without a client timeout the end is random in this range, so that watches do not all
 * reconnect at once.
 */
const longest = [1800, 3600] as const;

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** Turns changes of all objects into changes of the selected ones. */
const transitions = (
  selection: Selection,
  isInScope: (object: KubeObject) => boolean,
  initial: KubeObject[] | undefined,
) => {
  // The log contains the labels before a change, but no other fields, so the last match is
  // remembered.
  const remembered = new Map<string, boolean>();
  const remembers = !selection.fields.constant;
  const identity = ({ metadata }: KubeObject) => keyOf(metadata);
  if (remembers) for (const object of initial ?? []) remembered.set(identity(object), selection.fields.matches(object));

  return (change: Change): EventType | undefined => {
    const { object, type } = change;
    if (!isInScope(object)) return undefined;
    const fieldsNow = selection.fields.matches(object);
    // Unknown counts as selected: a spurious DELETED is harmless, a missing one leaves a ghost in
    // the client's cache.
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

/** The lines of a response body until either side ends it. Writing after the end is ignored. */
const lineStream = (ending: AbortController) => {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let resume: (() => void) | undefined;
  // A client may disconnect with unread data: nothing else would resume a waiting writer.
  ending.signal.addEventListener('abort', () => resume?.(), { once: true });
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (started) => {
        controller = started;
      },
      pull: () => resume?.(),
      cancel: () => {
        controller = undefined;
        ending.abort();
      },
    },
    { highWaterMark: 64 },
  );
  return {
    stream,
    write: (line: Uint8Array): void => controller?.enqueue(line),
    isFull: (): boolean => !ending.signal.aborted && controller !== undefined && (controller.desiredSize ?? 0) <= 0,
    /** Resolves when a full stream has room for more. */
    ready: (): Promise<void> =>
      new Promise((resolve) => {
        resume = resolve;
      }),
    end: (): void => {
      controller?.close();
      controller = undefined;
    },
  };
};

interface Start {
  initial: KubeObject[];
  /** The client asked for a mark after the initial objects. */
  isMarked: boolean;
  /** The objects at the start of the watch; for selectors on mutable fields. */
  known: KubeObject[] | undefined;
  position: number;
}

/** Whether the objects that exist are sent before the changes; undefined leaves it to the asked version. */
const sendsInitial = ({ query }: Call): boolean | undefined =>
  query.has('sendInitialEvents') ? flagOf(query, 'sendInitialEvents') : undefined;

/** A list stands for the state at its position, however old the asked version is. */
const startAtNow = async (call: Call, selection: Selection, asked: number): Promise<Start> => {
  const { resource, path, query } = call;
  const scope = path.namespace ? { namespace: path.namespace } : {};
  const { objects, position } = await storeOf(call).list(resource.type, scope);
  if (asked > position) throw tooLargeVersion(asked, position);
  const sends = sendsInitial(call);
  return {
    initial: sends === false ? [] : objects.filter(selection.matches),
    isMarked: sends === true && flagOf(query, 'allowWatchBookmarks'),
    known: objects,
    position,
  };
};

const startOf = async (call: Call, selection: Selection): Promise<Start> => {
  const { resource, path } = call;
  const store = storeOf(call);
  const asked = versionOf(call.query);
  if (!asked || sendsInitial(call)) return startAtNow(call, selection, asked ?? 0);
  const after = { initial: [], isMarked: false, position: asked };
  const current = await store.position(resource.type);
  if (asked > current) throw tooLargeVersion(asked, current);
  if (selection.fields.constant) return { ...after, known: undefined };
  const { objects } = await store.list(resource.type, path.namespace ? { namespace: path.namespace } : {});
  return { ...after, known: objects.filter(({ metadata }) => Number(metadata.resourceVersion) <= asked) };
};

const encoder = new TextEncoder();
const lineOf = (type: string, object: unknown): Uint8Array => encoder.encode(`${JSON.stringify({ type, object })}\n`);

/** Encoded lines by kind version, object, event type and format, shared by all watches. */
const knownLines = new WeakMap<KindVersion, WeakMap<KubeObject, Map<string, Uint8Array>>>();

const sharedLine = (call: Call, type: EventType, stored: KubeObject, form: Form): Uint8Array => {
  const encode = () => lineOf(type, shown(call, stored, form));
  if (!Object.isFrozen(stored)) return encode();
  const ofVersion = knownLines.get(call.version) ?? new WeakMap<KubeObject, Map<string, Uint8Array>>();
  knownLines.set(call.version, ofVersion);
  const lines = ofVersion.get(stored) ?? new Map<string, Uint8Array>();
  ofVersion.set(stored, lines);
  const name = `${type} ${form.as} ${form.version}`;
  const line = lines.get(name) ?? encode();
  lines.set(name, line);
  return line;
};

/** Writes events in the format of the call. */
const eventWriter = (call: Call, form: Form, write: (line: Uint8Array) => void) => {
  let columnsSent = false;
  /** Not shared: a watch sends columns once, and ages depend on the current time. */
  const row = (type: EventType, stored: KubeObject): Uint8Array => {
    const body = shown(call, stored, form) as Record<string, unknown>;
    if (columnsSent) body.columnDefinitions = null;
    columnsSent = true;
    return lineOf(type, body);
  };
  return {
    /** Writes an object that existed when the watch began. */
    initial: (stored: KubeObject): void =>
      write(form.as === 'Table' ? row('ADDED', stored) : lineOf('ADDED', shown(call, stored, form))),
    change: (type: EventType, stored: KubeObject): void =>
      write(form.as === 'Table' ? row(type, stored) : sharedLine(call, type, stored, form)),
    bookmark: (position: number, endsInitial = false): void =>
      write(lineOf('BOOKMARK', bookmarkOf(call, form, position, endsInitial))),
    error: (error: unknown): void => write(lineOf('ERROR', failure(error))),
  };
};

/** Sends a bookmark every minute while the watch lasts. */
const bookmarkRegularly = (clock: Clock, bookmark: () => void): Cancel => {
  const tick = () => {
    bookmark();
    cancel = clock.after(bookmarks, tick);
  };
  let cancel = clock.after(bookmarks, tick);
  return () => cancel();
};

/**
 * Ends a watch whose kind a user has changed or removed, once it has had time to report what the log
 * holds. Its client starts another, by the new definition.
 */
const endWithKind = ({ server: { registry, clock }, resource }: Call, end: () => void): Cancel => {
  const { group, plural } = resource.kind;
  const look = async () => {
    try {
      await registry.custom.readSince(clock.now() - known / 2);
      if ((await registry.find(group, plural))?.kind !== resource.kind) {
        cancel = clock.after(2 * known, end);
        return;
      }
    } catch {
      // The next look may succeed; a table that fails ends the watch itself.
    }
    cancel = clock.after(known, () => void look());
  };
  let cancel = clock.after(known, () => void look());
  return () => cancel();
};

/** Ends a watch with 403 when its user has lost the right to it. */
const checkRegularly = ({ server: { rights, clock }, attributes }: Call, end: (error: unknown) => void): Cancel => {
  // Rights that cannot change need no check.
  if (!rights.foresee) return () => undefined;
  let isOver = false;
  const check = async () => {
    try {
      const { allowed, reason } = await rights.authorize(attributes);
      if (!allowed) throw forbidding(attributes, reason);
      if (!isOver) cancel = clock.after(rightsChecked, check);
    } catch (error) {
      if (!isOver) end(error);
    }
  };
  let cancel = clock.after(rightsChecked, check);
  return () => {
    isOver = true;
    cancel();
  };
};

/** The error for a client whose position has expired, with more detail than the store's. */
const errorForClient = async (call: Call, error: unknown, from: number): Promise<unknown> => {
  if (!(error instanceof ApiError)) call.server.log?.error('Watch failed', { type: call.resource.type, error });
  if (!(error instanceof ApiError && error.code === 410)) return error;
  try {
    return expired(`too old resource version: ${from} (${await storeOf(call).position(call.resource.type)})`);
  } catch {
    return error;
  }
};

/** Sends the initial objects and every later change, until the signal aborts or the store fails. */
const pump = async (
  call: Call,
  { initial, isMarked, known: before, position }: Start,
  selection: Selection,
  form: Form,
  lines: ReturnType<typeof lineStream>,
  ending: AbortController,
): Promise<void> => {
  const { query, path, server, resource } = call;
  const seconds = numberOf(query, 'timeoutSeconds');
  const [least, most] = longest;
  const lasts = seconds && seconds > 0 ? seconds : least + server.random.next() * (most - least);
  const events = eventWriter(call, form, lines.write);
  const eventOf = transitions(
    selection,
    ({ metadata }) => !path.namespace || metadata.namespace === path.namespace,
    before,
  );
  let at = position;
  const bookmark = flagOf(query, 'allowWatchBookmarks') ? () => events.bookmark(at) : undefined;
  const cancelBookmarks = bookmark && bookmarkRegularly(server.clock, bookmark);
  const cancelChange = resource.isOfUsers ? endWithKind(call, () => ending.abort()) : undefined;
  const cancelEnd = server.clock.after(lasts * 1000, () => {
    bookmark?.();
    ending.abort();
  });
  const cancelChecks = checkRegularly(call, (error) => {
    events.error(error);
    ending.abort();
  });
  try {
    await prepareShown(resource.kind, call.version, initial);
    for (const object of initial) {
      events.initial(object);
      if (lines.isFull()) await lines.ready();
      if (ending.signal.aborted) return;
    }
    if (isMarked) events.bookmark(position, true);
    for await (const change of storeOf(call).watch(resource.type, position, ending.signal)) {
      at = change.position;
      const type = change.type === 'BOOKMARK' ? undefined : eventOf(change);
      if (type && change.type !== 'BOOKMARK') {
        await prepareShown(resource.kind, call.version, [change.object]);
        events.change(type, change.object);
      }
      if (lines.isFull()) await lines.ready();
      if (ending.signal.aborted) break;
    }
  } catch (error) {
    if (!ending.signal.aborted) events.error(await errorForClient(call, error, position));
  } finally {
    cancelBookmarks?.();
    cancelChange?.();
    cancelEnd();
    cancelChecks();
    ending.abort();
    lines.end();
  }
};

/** GET with `watch`: a stream of events that begins at once. */
export const watch = async (call: Call): Promise<Response> => {
  const form = streamedFormOf(call);
  checkWatchOptions(call.query);
  const selection = selectionOf(call);
  // Refuse an invalid number before the stream begins.
  numberOf(call.query, 'timeoutSeconds');
  const start = await startOf(call, selection);
  const ending = new AbortController();
  const end = () => ending.abort();
  const { signal } = call.request;
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  const lines = lineStream(ending);
  void pump(call, start, selection, form, lines, ending).finally(() => signal.removeEventListener('abort', end));
  warnOfVersion(call);
  return new Response(lines.stream, { status: 200, headers: headersOf(call, 'application/json') });
};

/** The mark of the last initial object. */
const initialEnd = { annotations: { 'k8s.io/initial-events-end': 'true' } };

/** In the form of the events: clients ignore a bookmark of another kind. */
const bookmarkOf = ({ resource, version }: Call, form: Form, position: number, endsInitial: boolean): unknown => {
  const metadata = { resourceVersion: String(position), creationTimestamp: null, ...(endsInitial && initialEnd) };
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
