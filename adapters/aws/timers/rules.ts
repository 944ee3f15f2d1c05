/** EventBridge rules that are enabled only while there is work. */
import {
  DescribeRuleCommand,
  DisableRuleCommand,
  EnableRuleCommand,
  type EventBridgeClient,
} from '@aws-sdk/client-eventbridge';
import { type Attempt, isAnswer, translated } from '../service/error.ts';
import { allOf } from './all.ts';
import type { Switch } from './awake.ts';

export interface RulesOptions {
  client: Pick<EventBridgeClient, 'send'>;
  /** On the default bus, which carries events of AWS services. */
  names: readonly string[];
}

export const rules = ({ client, names }: RulesOptions): Switch => {
  /** A deleted rule must not block dispatch: the sweep finds what its events would report. */
  const tried = async <T>(request: Promise<T>, attempt: Attempt): Promise<T | undefined> => {
    try {
      return await request;
    } catch (error) {
      if (isAnswer(error, 'ResourceNotFoundException')) return undefined;
      throw translated(error, attempt);
    }
  };
  const turn = async (Name: string, enabled: boolean): Promise<void> => {
    const what = `the rule ${Name}`;
    if (enabled) await tried(client.send(new EnableRuleCommand({ Name })), { action: 'events:EnableRule', what });
    else await tried(client.send(new DisableRuleCommand({ Name })), { action: 'events:DisableRule', what });
  };
  const keep = async (Name: string, enabled: boolean): Promise<void> => {
    const request = client.send(new DescribeRuleCommand({ Name }));
    const found = await tried(request, { action: 'events:DescribeRule', what: `the rule ${Name}` });
    if (found && (found.State !== 'DISABLED') !== enabled) await turn(Name, enabled);
  };
  const all = (run: (name: string) => Promise<void>) => allOf(names.map(run));
  return {
    enable: () => all((name) => turn(name, true)),
    disable: () => all((name) => turn(name, false)),
    keep: (enabled) => all((name) => keep(name, enabled)),
  };
};
