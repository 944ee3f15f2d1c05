/** `capstan cloud fault`: injects faults into the simulated account. */
import { Command } from 'commander';
import type { Fault, FaultSpec } from '../simulation/aws/index.ts';
import { accountPath } from './account.ts';
import type { ApiClient, Connect } from './client.ts';
import { CliError } from './errors.ts';
import { positiveWholeNumber } from './options.ts';
import { outputOption, type Print, renderItems } from './output.ts';

/** The emulator whose variables are set in this shell, else the local control plane. */
const openFaults = async (connect: Connect): Promise<{ client: Pick<ApiClient, 'request' | 'json'>; path: string }> => {
  const emulator = process.env.CAPSTAN_EMULATOR_FAULTS;
  if (!emulator) return { client: await connect(), path: `${accountPath}/faults` };
  const { parsing } = await import('./answer.ts');
  const request: ApiClient['request'] = async (method, path, { body } = {}) => {
    const response = await fetch(path, { method, ...(body !== undefined && { body }) });
    return { code: response.status, body: await response.text() };
  };
  return { client: parsing(request), path: emulator };
};

const times = ({ count }: FaultSpec): string =>
  count === undefined ? 'every time' : count === 1 ? 'once' : `${count} times`;

const describeFault = (fault: Fault): string => {
  const { id, action, code, zone, type, market, afterEffect } = fault;
  const about = [type && `of ${type}`, market && `in the ${market} market`, zone && `in ${zone}`]
    .filter(Boolean)
    .join(' ');
  return `${id}: ${action}${about ? ` ${about}` : ''} answers ${code} ${times(fault)}${afterEffect ? ', after it did its work' : ''}`;
};

const add = async (connect: Connect, fault: FaultSpec): Promise<Fault> => {
  const { client, path } = await openFaults(connect);
  const answer = await client.request('POST', path, { body: JSON.stringify(fault) });
  const { dataOf, messageOf } = await import('./answer.ts');
  if (answer.code === 400) throw new CliError(messageOf(answer), 2);
  if (answer.code >= 400) throw new CliError(messageOf(answer));
  return dataOf<Fault>(answer.body);
};

export const faultCommand = (connect: Connect, print: Print = console.log): Command => {
  const fault = new Command('fault').description('Makes calls of the simulated account fail.').exitOverride();
  fault
    .command('add')
    .description('From now on, calls of an action fail.')
    .requiredOption('--action <name>', 'the action, such as RunInstances; * for all')
    .requiredOption('--code <code>', 'the error code, such as InsufficientInstanceCapacity')
    .option('--zone <zone>', 'only calls about this availability zone')
    .option('--type <type>', 'only launches of this instance type')
    .option('--market <market>', 'only launches in this market: on-demand or spot')
    .option('--count <n>', 'how many calls fail (default: all, until the fault is cleared)', positiveWholeNumber)
    .option('--after-effect', 'the call does its work, and answers the error all the same')
    .option('--message <text>', "the error's message (default: as the cloud words it)")
    .action(async (options: FaultSpec) => print(describeFault(await add(connect, options))));
  fault
    .command('list')
    .description('The faults that are left.')
    .addOption(outputOption())
    .action(async ({ output }: { output?: string }) => {
      const { client, path } = await openFaults(connect);
      const { items } = await client.json<{ items: Fault[] }>('GET', path);
      print(
        renderItems(items, output, ['ID', 'ACTION', 'CODE', 'ZONE', 'TYPE', 'LEFT', 'EFFECT'], (item) => [
          item.id,
          item.action,
          item.code,
          item.zone ?? '*',
          item.type ?? '*',
          item.count === undefined ? '*' : String(item.count),
          item.afterEffect ? 'done' : 'none',
        ]),
      );
    });
  fault
    .command('clear')
    .argument('[id]')
    .description('Takes one fault away, or all of them.')
    .action(async (id: string | undefined) => {
      const { client, path } = await openFaults(connect);
      const at = id === undefined ? path : `${path}/${encodeURIComponent(id)}`;
      const { items } = await client.json<{ items: Fault[] }>('DELETE', at);
      print(items.length === 1 ? '1 fault cleared' : `${items.length} faults cleared`);
    });
  return fault;
};
