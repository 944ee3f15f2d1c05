/** An installation's mark as a Systems Manager parameter in its account and region. */
import {
  GetParameterCommand,
  GetParameterHistoryCommand,
  PutParameterCommand,
  type SSMClient,
} from '@aws-sdk/client-ssm';
import type { Mark, Marker } from '../../../kinds/ports/installation.ts';
import { isAnswer, ServiceError, sent, translated } from '../service/error.ts';

export interface ParameterMarkerOptions {
  client: Pick<SSMClient, 'send'>;
  installation: string;
}

/** Versions per page; Systems Manager keeps a hundred. */
const mostVersions = 50;

export const parameterNameOf = (installation: string): string => `/capstan/${installation}/mark`;

const isMark = (value: unknown): value is Mark => {
  const { position, regions } = (value ?? {}) as Partial<Mark>;
  return (
    Number.isSafeInteger(position) && Array.isArray(regions) && regions.every((region) => typeof region === 'string')
  );
};

const parsed = (text: string | undefined): Mark | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(text ?? '');
  } catch {
    value = undefined;
  }
  return isMark(value) ? { position: value.position, regions: value.regions } : undefined;
};

/** An unreadable mark is not an absent one: the installation must not act as if it were new. */
const markOf = (name: string, text: string | undefined): Mark => {
  const mark = parsed(text);
  if (mark) return mark;
  throw new ServiceError(
    'InvalidMark',
    `the parameter ${name} is not what Capstan wrote there: restore it from its history`,
  );
};

export const parameterMarker = ({ client, installation }: ParameterMarkerOptions): Marker => {
  const Name = parameterNameOf(installation);
  const what = `the parameter ${Name}`;
  let isThere = false;

  const create = async (Value: string): Promise<boolean> => {
    try {
      const Tags = [{ Key: 'capstan.dev/control-plane', Value: installation }];
      await client.send(new PutParameterCommand({ Name, Value, Type: 'String', Tags }));
      return true;
    } catch (error) {
      if (isAnswer(error, 'ParameterAlreadyExists')) return false;
      throw translated(error, { action: 'ssm:PutParameter', what });
    }
  };

  const read = async (): Promise<Mark | undefined> => {
    try {
      const { Parameter } = await client.send(new GetParameterCommand({ Name }));
      isThere = true;
      return markOf(Name, Parameter?.Value);
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      if (!isAnswer(error, 'ParameterNotFound')) throw translated(error, { action: 'ssm:GetParameter', what });
      isThere = false;
      return undefined;
    }
  };

  return {
    read,
    furthest: async () => {
      let furthest = await read();
      let NextToken: string | undefined;
      // A missing parameter has no history.
      while (furthest) {
        const request = new GetParameterHistoryCommand({ Name, MaxResults: mostVersions, NextToken });
        const page = await sent(client.send(request), { action: 'ssm:GetParameterHistory', what });
        for (const { Value } of page.Parameters ?? []) {
          const mark = parsed(Value);
          if (mark && mark.position > furthest.position) furthest = mark;
        }
        NextToken = page.NextToken;
        if (!NextToken) break;
      }
      return furthest;
    },
    write: async ({ position, regions }) => {
      const Value = JSON.stringify({ position, regions });
      // Tags are accepted only when a parameter is created.
      if (!isThere && (await create(Value))) {
        isThere = true;
        return;
      }
      const request = new PutParameterCommand({ Name, Value, Type: 'String', Overwrite: true });
      await sent(client.send(request), { action: 'ssm:PutParameter', what });
      isThere = true;
    },
  };
};
