/** What a watch tells. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { World } from '../site.ts';

export interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: KubeObject & { code?: number };
}

/** Each event of an answer, until it ends, or its reader has had enough or is cut off. */
export const eachEvent = async (
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  take: (event: WatchEvent) => Promise<'go on' | 'enough'>,
): Promise<void> => {
  let text = '';
  const decoder = new TextDecoder();
  const reader = body.getReader();
  // A server that died ends nothing.
  signal.addEventListener('abort', () => void reader.cancel().catch(() => {}));
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    text += decoder.decode(next.value, { stream: true });
    const lines = text.split('\n');
    text = lines.pop()!;
    for (const line of lines) if (line && (await take(JSON.parse(line) as WatchEvent)) === 'enough') return;
  }
};

/** All that it tells within so many milliseconds, and whether it ended by itself. */
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
    // Whoever answered it died.
  } finally {
    cancel();
  }
  return { events, isEnded };
};
