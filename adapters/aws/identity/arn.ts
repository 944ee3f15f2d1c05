/** Canonical ARNs of callers. */

const assumedRole = /^arn:([a-z-]+):sts::(\d{12}):assumed-role\/([^/]+)\/([^/]+)$/;
const rolePath = /^(arn:[a-z-]+:iam::\d{12}:role)\/(?:[^/]+\/)*([^/]+)$/;
const known = /^arn:[a-z-]+:(?:iam::\d{12}:(?:root|user\/[\x21-\x7e]+)|sts::\d{12}:federated-user\/[\x21-\x7e]+)$/;

/** The session's role, without its path, which a session does not contain. */
export const canonicalArn = (arn: string): string => {
  const role = arn.replace(assumedRole, 'arn:$1:iam::$2:role/$3');
  return role.replace(rolePath, '$1/$2');
};

export const sessionOf = (arn: string): string | undefined => assumedRole.exec(arn)?.[4];

/** Whether AWS could report this ARN for a caller. */
export const isCaller = (arn: string): boolean => assumedRole.test(arn) || known.test(arn);
