declare const NODEQOS_VERSION: string | undefined;

/** The version in package.json, put in when the bundle is built; running from the sources it is `0.0.0-source`. */
export const VERSION: string = typeof NODEQOS_VERSION === 'string' ? NODEQOS_VERSION : '0.0.0-source';
