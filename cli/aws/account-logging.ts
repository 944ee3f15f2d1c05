/** The account's single role for API Gateway logs in a region, which other APIs may use. */
import { APIGatewayClient, GetAccountCommand } from '@aws-sdk/client-api-gateway';
import { asking } from './explain.ts';
import { type Session, settings } from './session.ts';
import type { Context } from './stack.ts';

/**
 * Keeps a role that existed before the installation. A given value wins; a deployed installation keeps
 * its value, because the existing role may be its own.
 */
export const withAccountLogging = async (
  { region, isEmulated }: Session,
  context: Context,
  { typed, isDeployed }: { typed: Context; isDeployed: boolean },
): Promise<Context> => {
  if (isDeployed || isEmulated || typed.accountLogging !== undefined) return context;
  const { cloudwatchRoleArn } = await asking(
    new APIGatewayClient({ ...settings, region }).send(new GetAccountCommand({})),
    { action: 'apigateway:GET', what: `the account settings of API Gateway in ${region}` },
  );
  return cloudwatchRoleArn ? { ...context, accountLogging: 'false' } : context;
};
