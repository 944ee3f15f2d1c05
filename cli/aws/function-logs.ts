/** Reads the functions' logs from CloudWatch Logs. */
import { CloudWatchLogsClient, type FilteredLogEvent, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { type FunctionName, functionNames, namesOf } from '../../cdk/names.ts';
import type { Deployment } from '../client.ts';
import { CliError } from '../errors.ts';
import { asking } from './explain.ts';
import { chooseProfile } from './profile.ts';
import { settings } from './session.ts';

export interface LogLine {
  /** Milliseconds. */
  at: number;
  function: string;
  text: string;
  id: string;
}

type Logs = Pick<CloudWatchLogsClient, 'send'>;

export const openLogs = ({ region, profile }: Deployment): Logs => {
  chooseProfile(profile);
  return new CloudWatchLogsClient({ ...settings, region });
};

export const functionsNamed = (name: string | undefined): readonly FunctionName[] => {
  if (name === undefined) return functionNames;
  const found = functionNames.find((each) => each === name);
  if (found) return [found];
  throw new CliError(`there is no function ${name}: it is one of ${functionNames.join(', ')}`, 2);
};

/** Entries of a log group since a time, oldest first; undefined if it does not exist. */
export const entriesOf = async (
  logs: Logs,
  { region, profile }: Pick<Deployment, 'region' | 'profile'>,
  logGroupName: string,
  since: number,
): Promise<FilteredLogEvent[] | undefined> => {
  const entries: FilteredLogEvent[] = [];
  let nextToken: string | undefined;
  do {
    const request = logs.send(new FilterLogEventsCommand({ logGroupName, startTime: since, nextToken }));
    const absent = (error: unknown) => {
      if ((error as Error).name === 'ResourceNotFoundException') return undefined;
      throw error;
    };
    const page = await asking(request.catch(absent), {
      action: 'logs:FilterLogEvents',
      what: `the log group ${logGroupName}`,
      profile,
      region,
    });
    if (!page) return undefined;
    entries.push(...(page.events ?? []));
    nextToken = page.nextToken;
  } while (nextToken);
  return entries;
};

/** Undefined for a function that never ran: it has no log group. */
const readOne = async (
  logs: Logs,
  deployment: Deployment,
  name: string,
  since: number,
): Promise<LogLine[] | undefined> => {
  const entries = await entriesOf(logs, deployment, namesOf(deployment.installation).log(name), since);
  return entries?.map(({ timestamp = 0, message = '', eventId = '' }) => ({
    at: timestamp,
    function: name,
    text: message.trimEnd(),
    id: eventId,
  }));
};

export const readLogs = async (
  logs: Logs,
  deployment: Deployment,
  functions: readonly string[],
  since: number,
): Promise<LogLine[]> => {
  const all = await Promise.all(functions.map((name) => readOne(logs, deployment, name, since)));
  const found = all.filter((lines) => lines !== undefined);
  const endpoint = process.env.AWS_ENDPOINT_URL;
  if (found.length === 0 && endpoint !== undefined)
    throw new CliError(
      `${endpoint} has no logs of functions: npm run emulator writes them to files, in logs/ of the folder that it names`,
    );
  return found.flat().sort((a, b) => a.at - b.at);
};
