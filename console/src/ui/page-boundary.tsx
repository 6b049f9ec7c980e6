import { useQueryClient } from '@tanstack/react-query';
import { Component, type ComponentType, lazy, type ReactNode, useEffect, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { serviceResponds } from '../api/service-responds';
import { useMessages } from '../i18n/i18n';

const RETRY_MS = 3_000;

/** The code of a page did not load: the connection is lost, or the file is that of an earlier release. */
class PageNotLoaded extends Error {
  constructor(
    cause: unknown,
    /** Loads the code again. Reports whether the page can be shown. */
    readonly loadAgain: () => Promise<boolean>,
  ) {
    super('The code of a page did not load.', { cause });
  }
}

/**
 * A page, or a large part of one, whose code is loaded when it is first shown, and again after that has failed.
 * @returns the component, and what loads it before: it is then shown at once
 */
export function lazyPage<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): ComponentType<Props> & { readonly preload: () => Promise<unknown> } {
  let page: ComponentType<Props> | undefined;
  const preload = async () => {
    const module = await load();
    page = module.default;
    return module;
  };
  const loaded = () =>
    lazy(() =>
      preload().catch((error: unknown) => {
        throw new PageNotLoaded(error, loadAgain);
      }),
    );
  let Loaded: ComponentType<Props> = loaded();
  const loadAgain = async (): Promise<boolean> => {
    try {
      await preload();
    } catch {
      return false;
    }
    Loaded = loaded(); // the earlier one keeps its error
    return true;
  };
  function Page(props: Props) {
    const [Shown] = useState(() => page ?? Loaded); // to wait for what is there would show that it is loading
    return <Shown {...props} />;
  }
  return Object.assign(Page, { preload });
}

interface PageBoundaryState {
  readonly error: unknown;
  readonly hasFailed: boolean;
}

/** Keeps an error of a page from taking the shell away. */
export class PageBoundary extends Component<{ readonly children: ReactNode }, PageBoundaryState> {
  override state: PageBoundaryState = { error: null, hasFailed: false };

  static getDerivedStateFromError(error: unknown): PageBoundaryState {
    return { error, hasFailed: true };
  }

  private readonly showAgain = (): void => this.setState({ error: null, hasFailed: false });

  override render(): ReactNode {
    const { error, hasFailed } = this.state;
    if (!hasFailed) return this.props.children;
    return error instanceof PageNotLoaded ? (
      <NotLoaded error={error} onLoaded={this.showAgain} />
    ) : (
      <Broken retry={this.showAgain} />
    );
  }
}

function Broken({ retry }: { readonly retry: () => void }) {
  const { errors } = useMessages();
  const queries = useQueryClient();
  useEffect(() => queries.removeQueries({ type: 'inactive' }), [queries]); // what it cannot show is read again
  return (
    <div className="note" role="alert">
      <h1>{errors.title}</h1>
      <p>{errors.brokenPage}</p>
      <Button className="secondary" onPress={retry}>
        {errors.retry}
      </Button>
    </div>
  );
}

interface NotLoadedProps {
  readonly error: PageNotLoaded;
  readonly onLoaded: () => void;
}

/** Loads the page again by itself once the service responds again, or when asked to. */
function NotLoaded({ error, onLoaded }: NotLoadedProps) {
  const { errors } = useMessages();
  const queries = useQueryClient();
  useEffect(() => {
    void queries.refetchQueries({ type: 'active' }); // which finds out whether the connection is lost
    let wasLost = false;
    const look = async (): Promise<void> => {
      const responds = await serviceResponds();
      if (responds && wasLost) await loadOrReload(error, onLoaded);
      wasLost = !responds;
    };
    void look();
    const timer = setInterval(look, RETRY_MS);
    return () => clearInterval(timer);
  }, [error, onLoaded, queries]);
  return (
    <div className="note" role="alert">
      <h1>{errors.pageNotLoaded}</h1>
      <p>{errors.pageNotLoadedText}</p>
      <Button className="secondary" onPress={() => void loadOrReload(error, onLoaded)}>
        {errors.retry}
      </Button>
    </div>
  );
}

/** Reloads the console where the code is not there although the service responds: there is a new release. */
async function loadOrReload({ loadAgain }: PageNotLoaded, onLoaded: () => void): Promise<void> {
  if (await loadAgain()) onLoaded();
  else if (await serviceResponds()) location.reload();
}
