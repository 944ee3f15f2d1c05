/** Users and groups of Linux images. Pure. */

const ofImages =
  /^(?:root|daemon|bin|sys|adm|tty|disk|no(?:body|group)|syslog|sshd|sudo|wheel|users|backup|ubuntu|ec2-user|core|docker|messagebus|systemd-(?:network|resolve))$/;

/** The name in `user:group` that is neither of the images nor among those that were made, nor a number. */
export const unknownOwner = (owner: unknown, made: ReadonlySet<string> = new Set()): string | undefined =>
  typeof owner === 'string'
    ? owner
        .split(':')
        .find((name) => name !== '' && !/^\d+$|\{|\$/.test(name) && !ofImages.test(name) && !made.has(name))
    : undefined;
