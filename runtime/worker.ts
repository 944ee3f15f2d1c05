/** Runs passes of controllers and housekeeping, one message at a time. */
import type { Position } from '../adapters/installation/index.ts';
import type { JsonValue } from '../machinery/api/object.ts';
import {
  type AnyController,
  createPass,
  createReceiver,
  type EndedPass,
  type Ports,
  type Receiver,
  type Runner,
  type Runners,
} from '../machinery/controller/index.ts';
import { once } from '../machinery/once.ts';
import type { Awaits } from '../machinery/operations/index.ts';
import type { Foundation } from './foundation.ts';
import { frozenWith } from './position.ts';

/** Controllers by name, loaded on first use. */
export type Controllers = Readonly<Record<string, () => Promise<AnyController>>>;

export interface WorkerParts {
  controllers?: Controllers;
  /** Runners that are not controllers of a kind. */
  runners?: Runners;
  /** What the controllers read and act through. */
  ports?: Ports;
  /** Answers the workflow tasks that wait for an object. */
  awaits?: Awaits;
  position: Position;
  onPass?: ((pass: EndedPass) => void) | undefined;
  config: Record<string, JsonValue>;
}

export const composeWorker = (foundation: Foundation, parts: WorkerParts): Receiver => {
  const { store, kinds, writer, workItems, clock, random, log, installation, catalog } = foundation;
  const { controllers = {}, runners = {}, ports = {}, awaits, position, config } = parts;
  const pass = { store, kinds, writer, ports, clock, random, log, installation, config, ...(awaits && { awaits }) };
  const own: Runners = Object.fromEntries(
    Object.entries(controllers).map(([name, load]) => {
      const run = once(async () => createPass(await load(), pass));
      const type = kinds.typeOf(catalog.wiring[name]!.for);
      return [name, { run: async (...work) => (await run())(...work), types: () => [type] } satisfies Runner];
    }),
  );
  const worker = createReceiver({
    work: workItems,
    clock,
    log,
    runners: { ...own, ...runners },
    ...(parts.onPass && { onPass: parts.onPass }),
  });
  return frozenWith(worker, position, foundation);
};
