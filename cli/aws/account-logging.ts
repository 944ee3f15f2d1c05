/** The role under which API Gateway writes the logs of an account and region: there is one, which others may use. */
import { APIGatewayClient, GetAccountCommand } from '@aws-sdk/client-api-gateway';
import { asking } from './explain.ts';
import { type Session, settings } from './session.ts';
import type { Context } from './stack.ts';

/**
 * Leaves a role alone that was there before the installation. A typed value wins; an installation that is deployed keeps
 * what it has, because the role that is found then may be its own.
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
