import { DeleteParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import { isAnswer, translated } from '../service/error.ts';
import { parameterNameOf } from './parameter.ts';

/** A later installation of this name starts as a new one. */
export const removeParameterMark = async (client: Pick<SSMClient, 'send'>, installation: string): Promise<void> => {
  const Name = parameterNameOf(installation);
  try {
    await client.send(new DeleteParameterCommand({ Name }));
  } catch (error) {
    if (isAnswer(error, 'ParameterNotFound')) return;
    throw translated(error, { action: 'ssm:DeleteParameter', what: `the parameter ${Name}` });
  }
};
