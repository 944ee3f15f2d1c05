/** Runs one class of workers on the messages of its queue. */

import { withLogKeys } from '../../adapters/aws/lambda/log.ts';
import { consume, type hideOnSqs, type SqsAnswer, type SqsEvent } from '../../adapters/aws/queue/index.ts';
import type { Position } from '../../adapters/installation/index.ts';
import type { JsonValue } from '../../machinery/api/object.ts';
import {
  type AnyController,
  createPass,
  createWorker,
  keyOfMessage,
  type Ports,
  type Runner,
  type Runners,
} from '../../machinery/controller/index.ts';
import { once } from '../../machinery/once.ts';
import type { Awaits } from '../../machinery/operations/index.ts';
import type { Log } from '../../machinery/ports.ts';
import { type ControllerName, controllers as wiring } from '../../wiring.ts';
import type { Foundation } from './foundation.ts';
import { frozenWith } from './position.ts';

export interface Reconciling {
  log: Log;
  /** Hides a message for some seconds. */
  hide: ReturnType<typeof hideOnSqs>;
  receive(event: SqsEvent): Promise<SqsAnswer>;
}

/** Controllers by name, loaded on first use. */
export type Controllers = Readonly<Partial<Record<ControllerName, () => Promise<AnyController>>>>;

export interface ReconcilingOptions {
  controllers?: Controllers;
  /** Runners that are not controllers of a kind. */
  runners?: Runners;
  ports?: Ports;
  awaits?: Awaits;
  position: Position;
  /** Whether workflows are deployed. */
  workflows: boolean;
  hide: ReturnType<typeof hideOnSqs>;
  /** Awaited before the messages count as handled. */
  settled?: () => Promise<void>;
}

export const createReconciling = (foundation: Foundation, options: ReconcilingOptions): Reconciling => {
  const { store, kinds, writer, workItems, clock, random, log, installation } = foundation;
  const { controllers = {}, runners = {}, ports = {}, awaits, position, workflows, hide, settled } = options;
  const config: Record<string, JsonValue> = { speed: 1, workflows };
  const pass = { store, kinds, writer, ports, clock, random, log, installation, config, ...(awaits && { awaits }) };
  const own: Runners = Object.fromEntries(
    Object.entries(controllers).map(([name, load]) => {
      const run = once(async () => createPass(await load(), pass));
      const type = kinds.typeOf(wiring[name as ControllerName].for);
      return [name, { run: async (...work) => (await run())(...work), types: () => [type] } satisfies Runner];
    }),
  );
  const worker = createWorker({ work: workItems, clock, log, runners: { ...own, ...runners } });
  const guarded = frozenWith(worker, position, foundation);
  return {
    log,
    hide,
    receive: (event) =>
      consume(event, {
        receive: (message, deliveries) =>
          withLogKeys({ ...keyOfMessage(message) }, async () => {
            const verdict = await guarded.receive(message, deliveries);
            await settled?.();
            return verdict;
          }),
        hide,
        log,
      }),
  };
};
