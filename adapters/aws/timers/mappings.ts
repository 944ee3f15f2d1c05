/** Event source mappings of queues, which are enabled only while there is work. */
import {
  GetEventSourceMappingCommand,
  type LambdaClient,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import { type Clock, sleep } from '../../../machinery/ports.ts';
import { type Attempt, isAnswer, sent, translated } from '../service/error.ts';
import { allOf } from './all.ts';
import type { Switch } from './awake.ts';

export interface MappingsOptions {
  client: Pick<LambdaClient, 'send'>;
  uuids: readonly string[];
  clock: Clock;
}

/**
 * Milliseconds. A mapping in transition, of up to a minute, rejects another change; retries of the event
 * cover the rest.
 */
const timeout = 30_000;
const pause = 2_000;

export const mappings = ({ client, uuids, clock }: MappingsOptions): Switch => {
  const attempt = (action: string, UUID: string): Attempt => ({ action, what: `the event source mapping ${UUID}` });

  const turn = async (UUID: string, Enabled: boolean): Promise<void> => {
    const until = clock.now() + timeout;
    for (;;) {
      try {
        await client.send(new UpdateEventSourceMappingCommand({ UUID, Enabled }));
        return;
      } catch (error) {
        if (!isAnswer(error, 'ResourceInUseException') || clock.now() + pause > until)
          throw translated(error, attempt('lambda:UpdateEventSourceMapping', UUID));
        await sleep(clock, pause);
      }
    }
  };

  const keep = async (UUID: string, enabled: boolean): Promise<void> => {
    const request = client.send(new GetEventSourceMappingCommand({ UUID }));
    const { State } = await sent(request, attempt('lambda:GetEventSourceMapping', UUID));
    const others = enabled ? ['Disabled', 'Disabling'] : ['Enabled', 'Enabling'];
    if (others.includes(State ?? '')) await turn(UUID, enabled);
  };

  const all = (run: (uuid: string) => Promise<void>) => allOf(uuids.map(run));
  return {
    enable: () => all((uuid) => turn(uuid, true)),
    disable: () => all((uuid) => turn(uuid, false)),
    keep: (enabled) => all((uuid) => keep(uuid, enabled)),
  };
};
