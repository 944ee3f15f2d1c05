/** Systems Manager parameters, which keep a version history and return the latest version. */
import {
  GetParameterCommand,
  GetParameterHistoryCommand,
  PutParameterCommand,
  type SSMClient,
} from '@aws-sdk/client-ssm';
import type { Storage } from '../../../simulation/ports.ts';

/** The number of versions kept of a parameter. */
const mostKept = 100;

const refused = (name: string) => Object.assign(new Error(name), { name, $metadata: { httpStatusCode: 400 } });

/** A client as the adapter uses it. */
export const createParameters = (account: Storage): Pick<SSMClient, 'send'> => {
  const parameters = account.records<string[]>('marks');
  const versionsOf = (name: string): string[] => {
    const versions = parameters.get(name);
    if (!versions) throw refused('ParameterNotFound');
    return versions;
  };
  const send = async (command: unknown) => {
    if (command instanceof GetParameterCommand) return { Parameter: { Value: versionsOf(command.input.Name!).at(-1) } };
    if (command instanceof GetParameterHistoryCommand) {
      const { Name, MaxResults = mostKept, NextToken = '0' } = command.input;
      const versions = versionsOf(Name!);
      const end = Number(NextToken) + MaxResults;
      return {
        Parameters: versions.slice(Number(NextToken), end).map((Value) => ({ Value })),
        ...(end < versions.length && { NextToken: String(end) }),
      };
    }
    if (!(command instanceof PutParameterCommand)) throw refused('InvalidAction');
    const { Name = '', Value = '', Overwrite } = command.input;
    const versions = parameters.get(Name);
    if (versions && !Overwrite) throw refused('ParameterAlreadyExists');
    parameters.put(Name, [...(versions ?? []), Value].slice(-mostKept));
    return {};
  };
  return { send: send as SSMClient['send'] };
};
