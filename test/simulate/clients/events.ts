/** Reads the events of a watch. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { World } from '../site.ts';

export interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: KubeObject & { code?: number };
}

/** Yields the events of a watch until it ends, the reader stops, or the connection breaks. */
export const eachEvent = async (
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  take: (event: WatchEvent) => Promise<'go on' | 'enough'>,
): Promise<void> => {
  let text = '';
  const decoder = new TextDecoder();
  const reader = body.getReader();
  // A crashed server never closes its stream.
  signal.addEventListener('abort', () => void reader.cancel().catch(() => {}));
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    text += decoder.decode(next.value, { stream: true });
    const lines = text.split('\n');
    text = lines.pop()!;
    for (const line of lines) if (line && (await take(JSON.parse(line) as WatchEvent)) === 'enough') return;
  }
};

/** The events within this many milliseconds, and whether the server ended the watch. */
export const watchFor = async (
  world: World,
  path: string,
  ms: number,
  accept = 'application/json',
): Promise<{ events: WatchEvent[]; isEnded: boolean }> => {
  const cut = new AbortController();
  const cancel = world.clock.after(ms, () => cut.abort());
  const events: WatchEvent[] = [];
  let isEnded = false;
  try {
    const response = await world.watch(
      new Request(`https://127.0.0.1${path}`, { signal: cut.signal, headers: { Accept: accept } }),
    );
    if (response.status !== 200 || !response.body) return { events, isEnded };
    await eachEvent(response.body, cut.signal, async (event) => {
      events.push(event);
      return 'go on';
    });
    isEnded = !cut.signal.aborted;
  } catch {
    // The server crashed.
  } finally {
    cancel();
  }
  return { events, isEnded };
};
